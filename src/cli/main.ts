#!/usr/bin/env node
import process from 'node:process';
import { setTimeout as pass } from 'node:timers/promises';
import { EXIT, STOP_CODES, type StopSignal } from './exit-codes.ts';
import { cli } from './program.ts';

const exitCode = await cli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  clock: {
    now: Date.now,
    every: (ms, callback) => {
      const timer = setInterval(callback, ms);
      return () => clearInterval(timer);
    },
    pass: (ms) => pass(ms),
  },
  exit: leave,
  onInterrupt: (callback) => {
    process.on('SIGINT', callback);
    return () => process.off('SIGINT', callback);
  },
  onStop: (callback) => {
    const signals = Object.keys(STOP_CODES) as StopSignal[];
    const listener = (signal: NodeJS.Signals) => callback(signal as StopSignal);
    for (const signal of signals) process.on(signal, listener);
    return () => {
      for (const signal of signals) process.off(signal, listener);
    };
  },
});

// A tool that ignores its signal, or a connection kept open, must not keep the process.
leave(exitCode);

function leave(code: number): void {
  const { stdin, stdout, stderr } = process;
  // Node aborts when it resets a terminal that has gone: there the signal itself ends the process.
  const isAtTerminal = [stdin, stdout, stderr].some(({ isTTY }) => isTTY);
  if (code === EXIT.hungUp && isAtTerminal) {
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  }
  process.exit(code);
}
