import { APPROVALS, type Approval } from '../../../machines/permission/reasons.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { Locale } from '../../../machines/vocabulary/json.ts';
import type { RunOutcome } from '../../run/run.types.ts';
import { buildAgent } from '../build-agent.ts';
import { loadSettings, unflatten } from '../config.ts';
import { drive } from '../drive.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type CommonFlags, settingsFlags } from '../flags.ts';
import { colorsOf, type Io, printable } from '../io.ts';
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
  const settings = loadSettings({ ...io, flags: settingsFlags(flags), file: flags.config });
  const { locale = 'en', model } = unflatten(settings);
  const agent = buildAgent(settings, io);
  const machineReadable = flags.json === true || flags.jsonStream === true;
  const quiet = flags.quiet === true || machineReadable;
  if (!quiet && model?.provider === 'offline')
    io.stderr.write(`${colorsOf(io).dim(say(locale, 'hint'))}\n`);

  const run = agent.start(task);
  const { outcome, exitCode } = await drive(run, io, {
    locale,
    grants,
    // Output for programs never prompts; and `--on-ask` says what to do instead of asking.
    prompts: !machineReadable && flags.onAsk === undefined,
    quiet,
    times: true,
    ...(flags.jsonStream && {
      onEvent: (event) => io.stdout.write(`${JSON.stringify(event)}\n`),
    }),
  });
  if (flags.json) {
    const { messages: _, ...rest } = outcome;
    io.stdout.write(`${JSON.stringify({ ...rest, trace: run.trace })}\n`);
  } else if (!flags.jsonStream) writeOutcome(outcome, io, locale);
  return exitCode;
}

/** The answer goes to stdout; how a run ended otherwise goes to stderr. */
export function writeOutcome(outcome: RunOutcome, io: Io, locale: Locale): void {
  const warn = (text: string) => io.stderr.write(`${colorsOf(io).red(printable(text))}\n`);
  if (outcome.status === 'done') io.stdout.write(`${printable(outcome.answer)}\n`);
  if (outcome.status === 'cancelled') warn(say(locale, 'cancelledRun'));
  if (outcome.status === 'failed')
    warn(`${say(locale, 'failed')}: ${outcome.error.code}: ${outcome.error.message}`);
  if (outcome.status !== 'suspended') return;
  const detail = outcome.error === null ? '' : ` (${outcome.error.code}: ${outcome.error.message})`;
  warn(`${say(locale, 'suspended')}: ${outcome.reason}${detail}`);
  if (outcome.partialAnswer !== '') io.stdout.write(`${printable(outcome.partialAnswer)}\n`);
}

export function parseGrants(text: string | undefined): readonly Approval[] {
  const names = (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const unknown = names.find((name) => !APPROVALS.includes(name as Approval));
  if (unknown !== undefined)
    throw new AgentHubError(
      'usage',
      `--grant: "${unknown}" cannot be granted; use ${APPROVALS.join(', ')}, separated by commas.`,
    );
  return names as Approval[];
}

function checkOnAsk(onAsk: string | undefined): void {
  if (onAsk === undefined || onAsk === 'deny') return;
  if (onAsk === 'wait')
    throw new AgentHubError(
      'usage',
      '--on-ask wait: a run can only wait where it is stored, and this version stores no runs. Use deny, or --grant.',
    );
  throw new AgentHubError('usage', `--on-ask: "${onAsk}" is not known; use deny or wait.`);
}
