import type { Locale } from '../../../machines/vocabulary/json.ts';
import { printable } from '../../../machines/vocabulary/printable.ts';
import type { RestoreRun } from '../../inspector/server/going-on.ts';
import type { StatelyRelay } from '../../inspector/stately-relay.ts';
import type { Agent } from '../../run/agent.types.ts';
import type { ExitCode } from '../exit-codes.ts';
import { loadExtension } from '../extension.ts';
import { findRun } from '../find-run.ts';
import { type CommonFlags, parsePort } from '../flags.ts';
import { openInBrowser, startPage, untilInterrupt } from '../inspector-page.ts';
import { colorsOf, type Io } from '../io.ts';
import { withRuns } from '../store.ts';
import { say } from '../texts.ts';

export interface InspectFlags extends CommonFlags {
  readonly port?: string;
  readonly open?: boolean;
}

/** `agenthub inspect`: serves the inspector page until Ctrl-C. Its address goes to stdout. */
export async function inspectCommand(
  run: string | undefined,
  flags: InspectFlags,
  io: Io,
): Promise<ExitCode> {
  const port = parsePort(flags.port);
  return withRuns({ flags, io, creates: true }, async (stored) => {
    const { store, settings, locale, isNew } = stored;
    // What is wrong with it is told here, not on the page.
    await loadExtension(settings);
    const runId = run === undefined ? null : (await findRun(run, stored, io)).runId;
    // Made when a run is to go on: to look at runs needs no key.
    let agent: Agent | null = null;
    const restore: RestoreRun = async (wanted) => {
      agent ??= await stored.makeAgent();
      return agent.restore(wanted);
    };
    const isEmpty = isNew || (await store.list({ limit: 1 })).length === 0;
    if (isEmpty) {
      const values = { file: store.name };
      io.stderr.write(`${printable(say(locale, isNew ? 'newStore' : 'emptyStore', values))}\n`);
    }
    const inspector = await startPage({ store, port, restore }, io);
    const address = runId === null ? inspector.url : inspector.urlOf(runId);
    io.stdout.write(`${address}\n`);
    if (flags.open) await openInBrowser(address, io, locale);
    io.stderr.write(`${colorsOf(io).dim(say(locale, 'inspecting'))}\n`);
    const exitCode = await untilInterrupt(io);
    await inspector.close();
    return exitCode;
  });
}

/** Serves the page that relays a run to Stately. Its address goes to stderr. */
export async function relayToStately(io: Io, locale: Locale): Promise<StatelyRelay> {
  const { startStatelyRelay } = await import('../../inspector/stately-relay.ts');
  const relay = await startStatelyRelay({ now: io.clock.now });
  io.stderr.write(`${say(locale, 'watchStately')}${relay.url}\n`);
  return relay;
}
