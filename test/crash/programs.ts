import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles a program of this folder to run with plain node; gives its path. */
export async function bundle(name: string): Promise<string> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const outfile = join(root, 'dist', 'crash', `${name}-${process.pid}.mjs`);
  mkdirSync(join(root, 'dist', 'crash'), { recursive: true });
  await build({
    entryPoints: [fileURLToPath(new URL(`./${name}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['libsql', 'sharp'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return outfile;
}

/** A program of this folder that is running. */
export interface Launched {
  /** Told each line it says, parsed. */
  hear(listener: (line: unknown) => void): void;
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when it is gone; `code` is null where a signal ended it. */
  readonly over: Promise<{ readonly code: number | null; readonly errors: string }>;
}

/** Starts a program with a configuration of its own. */
export function launch(program: string, config: unknown): Launched {
  const child: ChildProcess = spawn(process.execPath, [program, JSON.stringify(config)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  return {
    hear: (listener) => lines.on('line', (text) => listener(JSON.parse(text))),
    signal: (name) => child.kill(name),
    over: new Promise((resolve) => child.on('close', (code) => resolve({ code, errors }))),
  };
}

/** Works on all entries, so many at a time; results in order. */
export async function inParallel<Entry, Result>(
  entries: readonly Entry[],
  width: number,
  work: (entry: Entry) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < entries.length; index = next++)
      results[index] = await work(entries[index] as Entry);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
