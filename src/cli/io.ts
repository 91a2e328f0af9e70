import type { ReadStream, WriteStream } from 'node:tty';
import pc from 'picocolors';

/** The process as the command line sees it. Only `main.ts` makes a real one. */
export interface Io {
  readonly stdin: ReadStream | NodeJS.ReadStream;
  readonly stdout: WriteStream | NodeJS.WriteStream;
  readonly stderr: WriteStream | NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  /** Leaves at once. */
  readonly exit: (code: number) => void;
  /** Calls back on every Ctrl-C; gives back how to stop that. */
  readonly onInterrupt: (callback: () => void) => () => void;
}

/** Time, so that tests can turn it by hand. Milliseconds. */
export interface Clock {
  readonly now: () => number;
  /** Calls back again and again; gives back how to stop that. */
  readonly every: (ms: number, callback: () => void) => () => void;
  /** Resolves once the time has passed. */
  readonly pass: (ms: number) => Promise<void>;
}

/** Whether lines on stderr may be drawn over: it is a terminal that has cursor codes. */
export function isLive({ stderr, env }: Io): boolean {
  return stderr.isTTY === true && env.TERM !== 'dumb';
}

/** Whether a person can be asked: they can read the question and press a key. */
export function canAsk({ stdin, stderr }: Io): boolean {
  // Nobody presses keys into a terminal that was read to its end.
  return stdin.isTTY === true && !stdin.readableEnded && stderr.isTTY === true;
}

/**
 * Colours for what goes to stderr: on a terminal, unless the environment says otherwise. `NO_COLOR`
 * (not empty) goes before `FORCE_COLOR` (anything but 0).
 */
export function colorsOf({ stderr, env }: Io) {
  if (env.NO_COLOR || env.FORCE_COLOR === '0') return pc.createColors(false);
  if (env.FORCE_COLOR) return pc.createColors(true);
  return pc.createColors(stderr.isTTY === true && env.TERM !== 'dumb');
}
