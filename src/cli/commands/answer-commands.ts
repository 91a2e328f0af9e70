import type { Question } from '../../../machines/agent/agent.view.ts';
import { APPROVALS } from '../../../machines/permission/reasons.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { Locale } from '../../../machines/vocabulary/json.ts';
import { printable } from '../../../machines/vocabulary/printable.ts';
import type { PostedAnswer, StoredRun } from '../../run/runs.types.ts';
import { shownDigest } from '../../run/shown-digest.ts';
import { commandLine } from '../command-line.ts';
import { withNote } from '../error-texts.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { findRun } from '../find-run.ts';
import { type DriveFlags, type LookFlags, parseDuration, parseGrants } from '../flags.ts';
import { canAsk, type Io } from '../io.ts';
import { askPermission, type PromptAnswer } from '../permission-prompt.ts';
import { type StoredRuns, withRuns } from '../store.ts';
import { answerLine } from '../stored-lines.ts';
import { say, sayApprovals, sayStands } from '../texts.ts';
import { usageError } from '../usage-error.ts';
import { TERMINAL, tellPosted } from './answer-words.ts';
import { checkDriving, driveStored } from './resume-command.ts';

export interface AnswerFlags extends DriveFlags {
  readonly shown?: string;
  readonly expires?: string;
  readonly reason?: string;
  /** Goes on with the run here where nobody drives it. */
  readonly resume?: boolean;
}

/**
 * `agenthub approve`: one person's word for one call as they saw it, put into the run's inbox. What
 * they saw is named by `--shown`, or is shown here first.
 */
export async function approveCommand(ids: CallIds, flags: AnswerFlags, io: Io): Promise<ExitCode> {
  const { call } = ids;
  const approvals = flags.grant === undefined ? undefined : parseGrants(flags.grant, APPROVALS);
  const time = flags.expires === undefined ? null : parseDuration('--expires', flags.expires);
  const digest = parseDigest(flags.shown);
  const type = 'permission.grant';
  return answer({ ...ids, type }, { flags, io }, async (stored, { runId, questions }) => {
    const { runs, locale } = stored;
    const question = questions.find(({ callId }) => callId === call);
    const given = approvals ?? question?.missing ?? [];
    if (question !== undefined && digest === null) {
      const asked = { ...question, missing: given };
      const said = await askHere(asked, { runId, waiting: questions.length, locale, flags, io });
      if (said.answer === 'interrupt') return null;
      if (said.answer === 'deny') return postDenial(ids, said.reason, { runId, stored });
    }
    const isSeen = digest === null || (question && shownDigest(question).startsWith(digest));
    const shown = isSeen ? (question?.shown ?? '') : '';
    const expiry = time !== null && { expiresAt: io.clock.now() + time };
    const options = { by: TERMINAL, approvals: given, ...expiry };
    const posted = await runs.approve(runId, { callId: call, shown }, options);
    const values = { call, approvals: sayApprovals(locale, given) };
    return { posted, what: say(locale, 'approves', values) };
  });
}

/** The beginning of a digest, or null where none is given. */
function parseDigest(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (/^[0-9a-f]{8,64}$/iu.test(text)) return text.toLowerCase();
  throw usageError('notDigest', { text });
}

interface AskingHere {
  readonly runId: string;
  /** Questions that wait. */
  readonly waiting: number;
  readonly locale: Locale;
  readonly flags: AnswerFlags;
  readonly io: Io;
}

/** Shows a question and asks. @throws AgentHubError `usage` where nobody can be asked. */
async function askHere(
  question: Question,
  { runId, waiting, locale, flags, io }: AskingHere,
): Promise<PromptAnswer> {
  if (flags.json || flags.jsonStream || !canAsk(io)) {
    const show = commandLine(['show', runId], flags);
    throw usageError('approveWhat', { call: question.callId, show });
  }
  return askPermission(io, question, { locale, waiting, signal: new AbortController().signal });
}

async function postDenial(
  { call }: CallIds,
  reason: string,
  { runId, stored: { runs, locale } }: { readonly runId: string; readonly stored: StoredRuns },
): Promise<Posted> {
  const posted = await runs.deny(runId, call, { by: TERMINAL, reason });
  return { posted, what: say(locale, 'denies', { call }) };
}

/** `agenthub deny`: the reason goes to the model. */
export async function denyCommand(ids: CallIds, flags: AnswerFlags, io: Io): Promise<ExitCode> {
  const { reason = '' } = flags;
  const type = 'permission.deny';
  return answer({ ...ids, type }, { flags, io }, (stored, { runId }) =>
    postDenial(ids, reason, { runId, stored }),
  );
}

export interface CallIds {
  /** A run's id or a unique beginning of it. */
  readonly run: string;
  readonly call: string;
}

interface Posted {
  readonly posted: PostedAnswer;
  /** The answer in words. */
  readonly what: string;
}

/** Null where the person was asked here and left without an answer. */
type Post = (stored: StoredRuns, shown: StoredRun) => Promise<Posted | null>;

interface Answering extends CallIds {
  readonly type: 'permission.grant' | 'permission.deny';
}

async function answer(
  { type, ...ids }: Answering,
  { flags, io }: { readonly flags: AnswerFlags; readonly io: Io },
  post: Post,
): Promise<ExitCode> {
  checkDriving(flags);
  return withRuns({ flags, io, drives: flags.resume === true }, async (stored) => {
    const { locale, runs } = stored;
    const found = await findRun(ids.run, stored, io);
    const { runId } = found;
    const shown = await runs.show(runId);
    checkCall(ids.call, shown, stored);
    const waiting = shown.waitingAnswers.find((one) => 'callId' in one && one.callId === ids.call);
    // The same answer twice is one answer: it waits already.
    const said =
      waiting?.type === type
        ? { posted: { drivenBy: found.drivenBy, result: null }, what: answerLine(waiting, locale) }
        : await post(stored, shown);
    if (said === null) return EXIT.interrupted;
    const { posted, what } = said;
    const { drivenBy, result } = posted;
    if (flags.resume && drivenBy === null && result === null)
      return driveStored(found, { stored, flags, io }).catch((thrown: unknown) => {
        throw withNote(thrown, 'answerKept', { run: runId, what });
      });
    const isAnswered = waiting !== undefined && result?.accepted === false;
    if (isAnswered && result.code === 'not_asked' && !flags.json) {
      const values = { call: ids.call, what: answerLine(waiting, locale) };
      const goOn = `${say(locale, 'goOn')}${commandLine(['resume', runId], flags)}`;
      io.stderr.write(`${printable(`${say(locale, 'answeredAlready', values)}\n${goOn}`)}\n`);
      return EXIT.failed;
    }
    const exitCode = tellPosted(posted, { runId, what, flags, io, locale });
    const open = openCalls(await runs.show(runId));
    if (exitCode !== EXIT.done && !flags.json && open.length > 0)
      io.stderr.write(`${printable(say(locale, 'openCalls', { calls: open.join(', ') }))}\n`);
    const isLeft = flags.resume === true && result === null;
    return isLeft ? EXIT.failed : exitCode;
  });
}

/** Calls that nobody has answered yet. */
function openCalls({ questions, waitingAnswers }: StoredRun): string[] {
  const answered = new Set(waitingAnswers.flatMap((one) => ('callId' in one ? [one.callId] : [])));
  return questions
    .filter(({ callId }) => !answered.has(callId))
    .map(({ callId, tool }) => `${callId} (${tool})`);
}

/** @throws AgentHubError `not_found` naming the calls there are. */
export function checkCall(
  call: string,
  { runId, calls }: Pick<StoredRun, 'runId' | 'calls'>,
  { locale }: Pick<StoredRuns, 'locale'>,
): void {
  if (calls.some(({ callId }) => callId === call)) return;
  const named = calls.map(
    ({ callId, tool, stands }) => `${callId} (${tool}, ${sayStands(locale, stands)})`,
  );
  const values = { run: runId, call, calls: named.join(', ') || say(locale, 'none') };
  throw new AgentHubError('not_found', say(locale, 'unknownCall', values));
}

/** `agenthub cancel`: ends a run, at once where nobody drives it. */
export async function cancelCommand(run: string, flags: LookFlags, io: Io): Promise<ExitCode> {
  return withRuns({ flags, io }, async (stored) => {
    const { locale, runs } = stored;
    const { runId } = await findRun(run, stored, io);
    const posted = await runs.cancel(runId, { by: TERMINAL });
    const isEnded = posted.drivenBy === null && posted.result?.accepted === true;
    if (!isEnded || flags.json)
      return tellPosted(posted, { runId, what: say(locale, 'cancels'), flags, io, locale });
    io.stdout.write(`${printable(say(locale, 'cancelledOne', { run: runId }))}\n`);
    return EXIT.done;
  });
}
