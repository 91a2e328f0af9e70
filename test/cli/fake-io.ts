import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { StopSignal } from '../../src/cli/exit-codes.ts';
import type { Io } from '../../src/cli/io.ts';
import { Screen } from './screen.ts';
import { USER_CONFIG } from './temporary.ts';

export interface FakeIoOptions {
  /** Whether a person sits there. Default false. */
  readonly tty?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** Milliseconds since the epoch. Default 0. */
  readonly time?: number;
}

/** A process that tests hold in their hands. Time stands still unless it is moved. */
export function fakeIo(options: FakeIoOptions = {}) {
  const { tty = false, columns = 80, rows = 24, env = {}, cwd = process.cwd() } = options;
  const stdin = Object.assign(new PassThrough(), {
    isTTY: tty,
    isRaw: false,
    setRawMode(raw: boolean) {
      stdin.isRaw = raw;
    },
  });
  const stdout = output({ isTTY: tty, columns, rows });
  const stderr = output({ isTTY: tty, columns, rows });
  const tickers = new Set<() => void>();
  const interrupted = new Set<() => void>();
  const stopped = new Set<(signal: StopSignal) => void>();
  const exits: number[] = [];
  let { time = 0 } = options;
  const io = {
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { XDG_CONFIG_HOME: USER_CONFIG, ...env },
    cwd,
    clock: {
      now: () => time,
      every: (_: number, callback: () => void) => {
        tickers.add(callback);
        return () => tickers.delete(callback);
      },
      pass: () => new Promise((resolve) => setImmediate(resolve)),
    },
    exit: (code: number) => exits.push(code),
    onInterrupt: (callback: () => void) => {
      interrupted.add(callback);
      return () => interrupted.delete(callback);
    },
    onStop: (callback: (signal: StopSignal) => void) => {
      stopped.add(callback);
      return () => stopped.delete(callback);
    },
  } as unknown as Io;
  return {
    io,
    /** What was written, without colours. */
    out: () => stripVTControlCharacters(stdout.text()),
    err: () => stripVTControlCharacters(stderr.text()),
    /** What was written, byte for byte. */
    rawErr: () => stderr.text(),
    screen: stderr.screen,
    /** Resolves once stderr says it (again, after `from` characters). */
    said: stderr.said,
    exits,
    tickers,
    press: (keys: string) => stdin.write(keys),
    stdin,
    stdout: stdout.stream,
    interrupt: () => {
      for (const callback of [...interrupted]) callback();
    },
    /** The system tells the process to leave. */
    stop: (signal: StopSignal) => {
      for (const callback of [...stopped]) callback(signal);
    },
    /** Resolves once everything that was under way without a timer has happened. */
    idle: async () => {
      for (let round = 0; round < 6; round += 1) await new Promise(setImmediate);
    },
    /** Moves the clock and draws. */
    tick: (ms = 100) => {
      time += ms;
      for (const callback of [...tickers]) callback();
    },
  };
}

function output(terminal: { isTTY: boolean; columns: number; rows: number }) {
  let written = '';
  let watchers: (() => void)[] = [];
  const screen = new Screen(terminal.columns, terminal.rows);
  const stream = Object.assign(
    new Writable({
      decodeStrings: false,
      write(chunk, _, done) {
        written += String(chunk);
        screen.write(String(chunk));
        for (const watcher of watchers) watcher();
        done();
      },
    }),
    terminal,
  );
  const said = (text: string, from = 0) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!stripVTControlCharacters(written).slice(from).includes(text)) return;
        watchers = watchers.filter((watcher) => watcher !== look);
        resolve();
      };
      watchers.push(look);
      look();
    });
  return { stream, screen, text: () => written, said };
}
