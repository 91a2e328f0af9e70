import { APPROVALS, type Approval } from '../../../machines/permission/reasons.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { Locale } from '../../../machines/vocabulary/json.ts';
import type { RunOutcome } from '../../run/run.types.ts';
import { buildAgent } from '../build-agent.ts';
import { loadSettings, type Settings, unflatten } from '../config.ts';
import { drive } from '../drive.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type CommonFlags, settingsFlags } from '../flags.ts';
import { colorsOf, type Io } from '../io.ts';
import { printable, printableJson } from '../printable.ts';
import { say } from '../texts.ts';

export interface RunFlags extends CommonFlags {
  readonly grant?: string;
  readonly onAsk?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
  readonly jsonStream?: boolean;
}

/** `agenthub run`: one task, its answer on stdout, everything else on stderr. */
export async function runCommand(task: string, flags: RunFlags, io: Io): Promise<ExitCode> {
  const grants = parseGrants(flags.grant);
  checkOnAsk(flags.onAsk);
  if (flags.json && flags.jsonStream)
    throw new AgentHubError('usage', '--json and --json-stream: use one of them.');
  const settings = loadSettings({ ...io, flags: settingsFlags(flags), file: flags.config });
  const { locale = 'en' } = unflatten(settings);
  const agent = buildAgent(settings, io);
  const isForPrograms = flags.json === true || flags.jsonStream === true;
  const quiet = flags.quiet === true || isForPrograms;

  const run = agent.start(task);
  if (!quiet) hint(settings, io, locale);
  // Whoever reads the stream decides how long it goes on.
  if (flags.jsonStream) io.stdout.once('error', () => run.cancel({ by: 'closed output' }));
  const { outcome, exitCode } = await drive(run, io, {
    locale,
    grants,
    // Output for programs never prompts; and `--on-ask` says what to do instead of asking.
    prompts: !isForPrograms && flags.onAsk === undefined,
    quiet,
    times: true,
    ...(flags.jsonStream && {
      onEvent: (event) => io.stdout.write(`${printableJson(event)}\n`),
    }),
  });
  if (flags.json) {
    const { messages: _, ...rest } = outcome;
    io.stdout.write(`${printableJson({ ...rest, exitCode, trace: run.trace })}\n`);
  } else if (!flags.jsonStream) writeOutcome(outcome, io, locale);
  return exitCode;
}

/** Says that nobody chose a model, if nobody did. */
export function hint(settings: Settings, io: Io, locale: Locale): void {
  if (settings.get('model.provider')?.source !== 'default') return;
  io.stderr.write(`${colorsOf(io).dim(say(locale, 'hint'))}\n`);
}

/** The answer goes to stdout; how a run ended otherwise goes to stderr. */
export function writeOutcome(outcome: RunOutcome, io: Io, locale: Locale): void {
  const warn = (text: string) => io.stderr.write(`${colorsOf(io).red(printable(text))}\n`);
  if (outcome.status === 'done') io.stdout.write(`${printable(outcome.answer)}\n`);
  if (outcome.status === 'cancelled') warn(say(locale, 'cancelledRun'));
  if (outcome.status === 'failed') {
    const { code, message } = outcome.error;
    warn(say(locale, 'failed', { reason: `${code}: ${message}` }));
  }
  if (outcome.status !== 'suspended') return;
  const { error, reason, partialAnswer } = outcome;
  const detail = error === null ? reason : `${reason} (${error.code}: ${error.message})`;
  if (partialAnswer !== '') io.stdout.write(`${printable(partialAnswer)}\n`);
  warn(say(locale, 'suspended', { reason: detail }));
}

/** What a person may approve without having seen the call. Running again after a crash is not. */
const GRANTABLE: readonly Approval[] = APPROVALS.filter((approval) => approval !== 'repeat');

/** @throws AgentHubError `usage` for a word that is none of {@link GRANTABLE}, and for no word at all. */
export function parseGrants(text: string | undefined): readonly Approval[] {
  if (text === undefined) return [];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !GRANTABLE.includes(name as Approval));
  if (unknown !== undefined)
    throw new AgentHubError(
      'usage',
      `--grant: "${unknown}" cannot be granted; use ${GRANTABLE.join(', ')}, separated by commas.`,
    );
  return [...new Set(names)] as Approval[];
}

function checkOnAsk(onAsk: string | undefined): void {
  if (onAsk === undefined || onAsk === 'deny') return;
  if (onAsk === 'wait')
    throw new AgentHubError(
      'usage',
      '--on-ask wait: a run can only wait where it is stored, and this version has no run store yet. Use --on-ask deny, or --grant.',
    );
  throw new AgentHubError('usage', `--on-ask: "${onAsk}" is not known; use deny or wait.`);
}
