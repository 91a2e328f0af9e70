import { readFileSync, writeSync } from 'node:fs';
import { openRuns } from '../../src/run/runs.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { COPY, type CopierConfig, type CopierLine, SOURCE } from './copier.types.ts';

const { database, does, file, dieAt } = JSON.parse(process.argv[2] ?? '') as CopierConfig;

const say = (line: CopierLine) => writeSync(1, `${JSON.stringify(line)}\n`);
const die = () => process.kill(process.pid, 'SIGKILL');
const calls = { clock: 0, store: 0 };

/** Told at moments within the store's transactions. */
function now(): number {
  calls.clock += 1;
  if (dieAt?.kind === 'clock' && dieAt.call === calls.clock) die();
  return Date.now();
}

/** A store in whose calls a process dies. */
function deadly(inner: RunStore): RunStore {
  return new Proxy(inner, {
    get: (target, key) => {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]) => {
        calls.store += 1;
        const isHere = dieAt?.kind === 'store' && dieAt.call === calls.store;
        if (isHere && dieAt.when === 'before') die();
        const value: unknown = await method.apply(target, given);
        if (isHere && dieAt.when === 'after') die();
        return value;
      };
    },
  });
}

const store = sqliteStore({ path: database, now });
const runs = openRuns(deadly(store));
const text = readFileSync(file, 'utf8');
say({ type: 'ready' });
const since = performance.now();
if (does === 'import') await runs.import(text, { newId: COPY });
else if (does === 'fork')
  await runs.fork(SOURCE, { at: (await store.read(SOURCE)).length - 1, newId: COPY });
else await runs.delete(SOURCE);
say({ type: 'done', ...calls, ms: performance.now() - since });
await store.close();
