import { spawn } from 'node:child_process';
import type { Locale } from '../../../machines/vocabulary/json.ts';
import type { RestoreRun } from '../../inspector/server/going-on.ts';
import type { Inspector, StartInspectorOptions } from '../../inspector/server/start-inspector.ts';
import type { StatelyRelay } from '../../inspector/stately-relay.ts';
import type { Agent } from '../../run/agent.types.ts';
import type { RunStore } from '../../run/store/store.types.ts';
import { prepareAgent } from '../build-agent.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { findRun } from '../find-run.ts';
import { type CommonFlags, parseCount } from '../flags.ts';
import { colorsOf, type Io } from '../io.ts';
import { withRuns } from '../store.ts';
import { say } from '../texts.ts';

/** Milliseconds in which open pages hear how a run ended. */
const LAST_LOOK = 500;

/** A page that is served. */
type Page = Pick<Inspector, 'close'>;

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
  const port = flags.port === undefined ? 0 : parseCount('--port', flags.port, 1);
  return withRuns(
    flags,
    io,
    async (stored) => {
      const { store, settings, locale } = stored;
      const runId = run === undefined ? null : (await findRun(run, stored, io)).runId;
      // Made when a run is to go on: to look at runs needs no key.
      let agent: Agent | null = null;
      const restore: RestoreRun = async (wanted) => {
        agent ??= prepareAgent(settings, io)(store);
        return agent.restore(wanted);
      };
      const inspector = await serve(io, { store, port, restore, ...(runId !== null && { runId }) });
      io.stdout.write(`${inspector.url}\n`);
      if (flags.open) openInBrowser(inspector.url, io, locale);
      io.stderr.write(`${colorsOf(io).dim(say(locale, 'inspecting'))}\n`);
      await untilInterrupt(io);
      await inspector.close();
      return EXIT.done;
    },
    { creates: true },
  );
}

/** Serves the page for a run that this command drives. Its address goes to stderr. */
export async function inspectRun(
  page: { readonly store: RunStore; readonly runId: string; readonly restore: RestoreRun },
  io: Io,
  locale: Locale,
): Promise<Inspector> {
  const inspector = await serve(io, page);
  io.stderr.write(`${say(locale, 'watchRun')}${inspector.url}\n`);
  return inspector;
}

/** Serves the page that relays a run to Stately. Its address goes to stderr. */
export async function relayToStately(io: Io, locale: Locale): Promise<StatelyRelay> {
  const { startStatelyRelay } = await import('../../inspector/stately-relay.ts');
  const relay = await startStatelyRelay({ now: io.clock.now });
  io.stderr.write(`${say(locale, 'watchStately')}${relay.url}\n`);
  return relay;
}

/** Keeps the pages of a run that is over, while somebody sits at the terminal. */
export async function keepInspecting(
  pages: readonly Page[],
  io: Io,
  locale: Locale,
): Promise<void> {
  if (pages.length === 0) return;
  if (io.stderr.isTTY === true && io.stdin.isTTY === true) {
    io.stderr.write(`${colorsOf(io).dim(say(locale, 'inspecting'))}\n`);
    await untilInterrupt(io);
  } else await io.clock.pass(LAST_LOOK);
  for (const page of pages) await page.close();
}

/** Loaded only here: no other command needs a server. */
async function serve(
  { clock }: Io,
  options: Omit<StartInspectorOptions, 'now'>,
): Promise<Inspector> {
  const { startInspector } = await import('../../inspector/server/start-inspector.ts');
  return startInspector({ ...options, now: clock.now });
}

function untilInterrupt(io: Io): Promise<void> {
  return new Promise((resolve) => {
    const restore = io.onInterrupt(() => {
      restore();
      resolve();
    });
  });
}

const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' };

/** Opens the page with whatever the desktop opens addresses with; says so when that fails. */
function openInBrowser(url: string, io: Io, locale: Locale): void {
  const opener = spawn(OPENERS[process.platform] ?? 'xdg-open', [url], {
    stdio: 'ignore',
    detached: true,
  });
  opener.on('error', () => io.stderr.write(`${say(locale, 'notOpened')}\n`));
  opener.unref();
}
