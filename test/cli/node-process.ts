import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { USER_CONFIG } from './temporary.ts';

/** The built program; `npm test` builds it. */
export const MAIN = resolve('dist/src/cli/main.js');

/**
 * A real process of node, killed with the test. Its environment is empty but for a person's own
 * folder and what is given.
 */
export function startNode(
  args: readonly string[],
  { cwd = '.', env = {} as Record<string, string> } = {},
) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', XDG_CONFIG_HOME: USER_CONFIG, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: collect(child) };
}

/** How a process ended, and all it wrote. */
export async function collect(child: ChildProcess) {
  let [out, err] = ['', ''];
  child.stdout?.on('data', (data) => {
    out += data;
  });
  child.stderr?.on('data', (data) => {
    err += data;
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((settle) =>
    child.on('close', (...ended) => settle(ended)),
  );
  return { code, signal, out, err };
}
