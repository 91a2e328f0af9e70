import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { Locale } from '../../../machines/vocabulary/json.ts';
import type { Agent } from '../../run/agent.types.ts';
import type { RunStore } from '../../run/store/store.types.ts';
import { newRunId } from '../build-agent.ts';
import { agreedSettings } from '../command-settings.ts';
import { type Settings, unflatten } from '../config.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type DriveFlags, parseGrants, parseOnAsk } from '../flags.ts';
import { inspectorPage, keepServing } from '../inspector-page.ts';
import { colorsOf, type Io } from '../io.ts';
import { checkOutput, driveAndReport, isForPrograms, type ReportOptions } from '../report.ts';
import { withAgent } from '../store.ts';
import { readTask } from '../task.ts';
import { say } from '../texts.ts';
import { relayToStately } from './inspect-command.ts';

/** `agenthub run`: one task, its answer on stdout, everything else on stderr. */
export async function runCommand(
  given: string | undefined,
  flags: DriveFlags,
  io: Io,
): Promise<ExitCode> {
  const grants = parseGrants(flags.grant);
  const onAsk = parseOnAsk(flags.onAsk);
  checkOutput(flags);
  const settings = await agreedSettings(flags, io);
  const { locale = 'en' } = unflatten(settings);
  const task = await readTask(given, io);
  const relay = flags.stately ? await relayToStately(io, locale) : null;
  const work = async (agent: Agent, store: RunStore | null): Promise<ExitCode> => {
    if (onAsk === 'wait' && store === null)
      throw new AgentHubError('usage', say(locale, 'waitNeedsStore'));
    if (flags.inspect && store === null)
      throw new AgentHubError('usage', say(locale, 'inspectNeedsStore'));
    const runId = newRunId();
    const page =
      store === null ? null : inspectorPage({ store, restore: agent.restore }, io, locale);
    // Before the run: a page that cannot be served must not leave a run behind.
    if (flags.inspect) await page?.serve(runId);
    const run = agent.start(task, { runId });
    if (flags.quiet !== true && !isForPrograms(flags)) hint(settings, io, locale);
    const exitCode = await driveAndReport(run, io, {
      ...{ flags, locale, grants },
      isStored: store !== null,
      unasked: unaskedOf(onAsk, flags),
      ...(page !== null && { openPage: () => page.open(runId) }),
    });
    const served = [page?.isServed ? page : null, relay].filter((one) => one !== null);
    await keepServing(served, io, { locale, exitCode });
    return exitCode;
  };
  const more = relay === null ? {} : { inspect: relay.inspect };
  return withAgent({ settings, io, ...more }, work).finally(() => relay?.close());
}

function unaskedOf(
  onAsk: ReturnType<typeof parseOnAsk>,
  { inspect }: DriveFlags,
): ReportOptions['unasked'] {
  if (onAsk === 'wait') return 'leave waiting';
  return inspect === true && onAsk === null ? 'elsewhere' : 'deny';
}

/** Says that nobody chose a model, if nobody did. */
export function hint(settings: Settings, io: Io, locale: Locale): void {
  if (settings.get('model.provider')?.source !== 'default') return;
  io.stderr.write(`${colorsOf(io).dim(say(locale, 'hint'))}\n`);
}
