import type { Rest } from '../../machines/agent/agent.types.ts';
import type { Question } from '../../machines/agent/agent.view.ts';
import type { Approval } from '../../machines/permission/reasons.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import type { Message } from '../../machines/vocabulary/messages.ts';
import { printable, printableJson } from '../../machines/vocabulary/printable.ts';
import type { Run, RunOutcome } from '../run/run.types.ts';
import { shownDigest } from '../run/shown-digest.ts';
import { commandLine } from './command-line.ts';
import { type Asks, drive } from './drive.ts';
import { sayError } from './error-texts.ts';
import type { ExitCode, StopSignal } from './exit-codes.ts';
import type { CommonFlags, DriveFlags } from './flags.ts';
import { canAsk, colorsOf, type Io } from './io.ts';
import { questionLines } from './permission-prompt.ts';
import { say } from './texts.ts';
import { sayUnread } from './unread-texts.ts';
import { usageError } from './usage-error.ts';

export interface ReportOptions {
  readonly flags: DriveFlags;
  readonly locale: Locale;
  readonly grants: readonly Approval[];
  readonly isStored: boolean;
  /** What becomes of questions where nobody is asked at the terminal. */
  readonly unasked: Exclude<Asks, 'terminal'>;
  /** Opens the inspector page at the run, for the key `o`. */
  readonly openPage?: () => Promise<void>;
}

/** @throws AgentHubError `usage` for flags that exclude each other. */
export function checkOutput({ json, jsonStream }: DriveFlags): void {
  if (json && jsonStream) throw usageError('oneJson');
}

/** Whether output is for programs: then nothing prompts and nothing else is written. */
export function isForPrograms({ json, jsonStream }: DriveFlags): boolean {
  return json === true || jsonStream === true;
}

/**
 * Drives a run and tells how it ended: the answer on stdout, everything else on stderr; with
 * `--json` one object, with `--json-stream` every event as a line.
 */
export async function driveAndReport(
  run: Run,
  io: Io,
  { flags, locale, grants, isStored, unasked, openPage }: ReportOptions,
): Promise<ExitCode> {
  const forPrograms = isForPrograms(flags);
  const quiet = flags.quiet === true || forPrograms;
  const write = (value: unknown) => io.stdout.write(`${printableJson(value)}\n`);
  // Whoever reads the stream decides how long it goes on.
  if (flags.jsonStream) io.stdout.once('error', () => run.cancel({ by: 'closed output' }));
  const driven = await drive(run, io, {
    locale,
    grants,
    // Output for programs never prompts; and `--on-ask` says what to do instead of asking.
    asks: !forPrograms && flags.onAsk === undefined && canAsk(io) ? 'terminal' : unasked,
    ...(openPage && { openPage }),
    quiet,
    times: true,
    ...(flags.jsonStream && { onEvent: write }),
  });
  const { exitCode } = driven;
  if (driven.end === 'stopped') {
    const resume = isStored ? commandLine(['resume', run.id], flags) : null;
    const stopped = { runId: run.id, signal: driven.signal, resume, exitCode };
    const { usage, todos, trace } = run;
    if (flags.json) write({ status: 'closed', ...stopped, usage, todos, trace });
    else if (flags.jsonStream) write({ type: 'closed', ...stopped });
    else writeStopped(driven, io, { locale, run: run.id, resume });
    return exitCode;
  }
  if (driven.end === 'waiting') {
    const { questions, trace } = driven;
    const commands = questions.map((question) => answerCommands(run.id, question, flags));
    const waiting = { runId: run.id, questions, commands, exitCode };
    const { usage, todos } = run;
    if (flags.json) write({ status: 'waiting', ...waiting, usage, todos, trace });
    else if (flags.jsonStream) write({ type: 'waiting', ...waiting });
    else writeWaiting({ runId: run.id, questions }, io, { flags, locale });
    return exitCode;
  }
  const { outcome } = driven;
  if (flags.json) {
    const { messages: _, ...rest } = outcome;
    write({ ...rest, exitCode, trace: run.trace });
  } else if (!flags.jsonStream) {
    writeOutcome(outcome, io, locale);
    if (isStored && !quiet) writeStored(outcome, io, { flags, locale });
  }
  return exitCode;
}

/** The answer goes to stdout; how a run ended otherwise goes to stderr. */
export function writeOutcome(outcome: RunOutcome, io: Io, locale: Locale): void {
  const warn = (text: string) => io.stderr.write(`${colorsOf(io).red(printable(text))}\n`);
  if (outcome.status === 'done') io.stdout.write(`${printable(outcome.answer)}\n`);
  if (outcome.status === 'cancelled') warn(say(locale, 'cancelledRun'));
  if (outcome.status === 'failed') {
    const { error } = outcome;
    warn(say(locale, 'failed', { reason: `${error.code}: ${sayError(error, locale)}` }));
  }
  if (outcome.status !== 'suspended') return;
  const { partialAnswer } = outcome;
  const detail = sayReason(outcome, outcome.messages, locale);
  if (partialAnswer !== '') io.stdout.write(`${printable(partialAnswer)}\n`);
  warn(say(locale, 'suspended', { reason: detail }));
}

/** Why a run was suspended: the reason's code, and the error or the reply behind it. */
export function sayReason(
  { reason, error }: Pick<Extract<Rest, { status: 'suspended' }>, 'reason' | 'error'>,
  messages: readonly Message[],
  locale: Locale,
): string {
  if (error !== null) return `${reason} (${error.code}: ${sayError(error, locale)})`;
  const unread = reason === 'limit.repairs' ? sayUnread(messages, locale) : null;
  return unread === null ? reason : `${reason} (${unread})`;
}

type Telling = { readonly flags: CommonFlags; readonly locale: Locale };

/** One short line: where the run is kept, and how it goes on if it can. */
export function writeStored(outcome: RunOutcome, io: Io, { flags, locale }: Telling): void {
  const { dim } = colorsOf(io);
  if (outcome.status === 'failed' && /^(store_|lease_lost|run_exists)/u.test(outcome.error.code))
    return;
  const stored = say(locale, 'storedRun', { run: outcome.runId });
  const again =
    outcome.status === 'suspended'
      ? ` · ${say(locale, 'goOn')}${resumeCommand(outcome.runId, outcome.reason, flags)}`
      : '';
  io.stderr.write(`${dim(printable(`${stored}${again}`))}\n`);
}

/** One line: that the process was told to leave, and how the run goes on if it can. */
export function writeStopped(
  { signal }: { readonly signal: StopSignal },
  io: Io,
  {
    locale,
    run,
    resume,
  }: { readonly locale: Locale; readonly run: string; readonly resume: string | null },
): void {
  const text =
    resume === null
      ? say(locale, 'stoppedUnstored', { signal })
      : `${say(locale, 'stopped', { signal, run })}${resume}`;
  io.stderr.write(`${printable(text)}\n`);
}

/** What a run was left waiting for, and the exact commands that answer it. */
function writeWaiting(
  { runId, questions }: { readonly runId: string; readonly questions: readonly Question[] },
  io: Io,
  { flags, locale }: Telling & { readonly flags: DriveFlags },
): void {
  const waiting = questions.length;
  if (flags.quiet !== true)
    for (const question of questions)
      for (const line of questionLines(question, io, { locale, waiting }))
        io.stderr.write(`${line}\n`);
  io.stderr.write(`\n${printable(say(locale, 'waitsFor', { run: runId }))}\n`);
  for (const question of questions)
    for (const line of Object.values(answerCommands(runId, question, flags)).slice(1))
      io.stderr.write(`  ${printable(line)}\n`);
}

/** Digits of the digest that names what a question showed. */
const DIGEST_LENGTH = 12;

/** The commands that answer a question of a stored run, as it is shown now. */
export function answerCommands(runId: string, question: Question, flags: CommonFlags) {
  const { callId } = question;
  const digest = shownDigest(question).slice(0, DIGEST_LENGTH);
  return {
    callId,
    approve: commandLine(['approve', runId, callId, '--shown', digest], flags),
    deny: commandLine(['deny', runId, callId], flags),
  };
}

/** Flags of `resume` by the reason of a suspension that they relieve. */
const RAISING: Readonly<Record<string, string>> = {
  'limit.turns': '--turns',
  'limit.tool_calls': '--tool-calls',
  'limit.tokens': '--tokens',
  'limit.time': '--time',
  'limit.repairs': '--repairs',
  'limit.stop_blocks': '--stop-blocks',
};

/** How a suspended run goes on: with a raised limit where one stopped it. */
export function resumeCommand(runId: string, reason: string, flags: CommonFlags): string {
  const flag = RAISING[reason];
  const command = commandLine(['resume', runId], flags);
  return flag === undefined ? command : `${command} ${flag} N`;
}
