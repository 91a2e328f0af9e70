import { spawn } from 'node:child_process';
import type { Locale } from '../../machines/vocabulary/json.ts';
import type { Inspector, StartInspectorOptions } from '../inspector/server/start-inspector.ts';
import { EXIT, type ExitCode, isStopped, STOP_CODES } from './exit-codes.ts';
import { colorsOf, type Io } from './io.ts';
import { say } from './texts.ts';

/** Milliseconds in which open pages hear how a run ended. */
const LAST_LOOK = 500;

/** The inspector page beside a command that drives runs: served from the first time it is wanted. */
export interface InspectorPage {
  readonly isServed: boolean;
  /** Serves the page and says on stderr where a run is to be seen. */
  serve(runId: string): Promise<string>;
  /** The same, and opens it in a browser. */
  open(runId: string): Promise<void>;
  close(): Promise<void>;
}

export function inspectorPage(
  options: Omit<StartInspectorOptions, 'now'>,
  io: Io,
  locale: Locale,
): InspectorPage {
  let inspector: Inspector | null = null;
  const serve = async (runId: string) => {
    inspector ??= await startPage(options, io);
    const address = inspector.urlOf(runId);
    io.stderr.write(`${say(locale, 'watchRun')}${address}\n`);
    return address;
  };
  return {
    get isServed() {
      return inspector !== null;
    },
    serve,
    open: async (runId) => openInBrowser(await serve(runId), io, locale),
    close: async () => inspector?.close(),
  };
}

/** Loaded only here: no other command needs a server. @throws AgentHubError `port_in_use`. */
export async function startPage(
  options: Omit<StartInspectorOptions, 'now'>,
  { clock }: Io,
): Promise<Inspector> {
  const { startInspector } = await import('../inspector/server/start-inspector.ts');
  return startInspector({ ...options, now: clock.now });
}

/** Keeps the pages of a run that is over, while somebody sits at the terminal; closes them then. */
export async function keepServing(
  pages: readonly { close(): Promise<void> }[],
  io: Io,
  { locale, exitCode }: { readonly locale: Locale; readonly exitCode: ExitCode },
): Promise<void> {
  if (pages.length === 0) return;
  if (isStopped(exitCode)) {
    for (const page of pages) await page.close();
    return;
  }
  if (io.stderr.isTTY === true && io.stdin.isTTY === true) {
    io.stderr.write(`${colorsOf(io).dim(say(locale, 'inspecting'))}\n`);
    await untilInterrupt(io);
  } else await io.clock.pass(LAST_LOOK);
  for (const page of pages) await page.close();
}

/** Waits until the person or the system ends the command; gives its exit code. */
export function untilInterrupt(io: Io): Promise<ExitCode> {
  return new Promise((resolve) => {
    const end = (exitCode: ExitCode) => {
      restoreInterrupt();
      restoreStop();
      resolve(exitCode);
    };
    const restoreInterrupt = io.onInterrupt(() => end(EXIT.done));
    const restoreStop = io.onStop((signal) => end(STOP_CODES[signal]));
  });
}

const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' };

/**
 * Opens an address with whatever the desktop opens addresses with; says so when that fails.
 * Resolves once that has begun, or could not.
 */
export function openInBrowser(address: string, io: Io, locale: Locale): Promise<void> {
  const opener = spawn(OPENERS[process.platform] ?? 'xdg-open', [address], {
    stdio: 'ignore',
    detached: true,
    env: io.env,
  });
  const fail = () => io.stderr.write(`${say(locale, 'notOpened')}\n`);
  // Windows' opener says 1 whatever happens.
  opener.on('exit', (code) => {
    if (code !== 0 && process.platform !== 'win32') fail();
  });
  opener.unref();
  return new Promise((resolve) => {
    opener.on('error', () => {
      fail();
      resolve();
    });
    opener.on('spawn', resolve);
  });
}
