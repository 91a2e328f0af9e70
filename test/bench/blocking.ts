import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foldRun } from '../../src/inspector/server/fold-run.ts';
import { openRuns } from '../../src/run/runs.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import type { LogRecord, RunStore } from '../../src/run/store/store.types.ts';
import type { Bench } from './bench.ts';
import { benchAgent, judge } from './workload.ts';

/** Milliseconds for which nothing else may have its turn. */
const ALLOWED = 100;
const LOCKED = 3_000;
const [SHORT, LONG] = [40, 4_000];
/** Again while it is over: what else the machine does only ever adds. */
const ROUNDS = 6;

/** The longest that anything here keeps everything else waiting: a server stands still meanwhile. */
export const blocking: Bench = {
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'agenthub-bench-'));
    try {
      const held = [...(await locked(folder)), ...(await longLog(folder))];
      return held.every((holds) => holds);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** The longest time between two turns of a timer that is due every two milliseconds. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 2);
  await new Promise((resolve) => setTimeout(resolve, 10));
  await work();
  look();
  clearInterval(timer);
  return longest;
}

/** A run while another process has its database locked, beside the same run without. */
async function locked(folder: string): Promise<readonly boolean[]> {
  const run = (path: string, isLocked: boolean) => async () => {
    const store = sqliteStore({ path });
    const unlocked = isLocked ? await lock(path) : null;
    await benchAgent({ steps: 10, store }).start('Work.').outcome;
    await store.close();
    await unlocked?.done;
  };
  const path = join(folder, 'locked.db');
  await run(path, false)();
  const free = await longestBlock(run(path, false));
  const blocked = await longestBlock(run(path, true));
  console.log(`a run: longest block ${free.toFixed(0)} ms`);
  return [judge(`a run, its database locked for ${LOCKED} ms: longest block`, blocked, ALLOWED)];
}

/** Locks a database from another process; resolves when it has it; `done` when it is gone. */
async function lock(path: string): Promise<{ readonly done: Promise<unknown> }> {
  const driver = createRequire(import.meta.url).resolve('libsql');
  const code = `const database = new (require(${JSON.stringify(driver)}))(${JSON.stringify(path)});
    database.exec('BEGIN IMMEDIATE');
    process.stdout.write('locked');
    setTimeout(() => database.exec('ROLLBACK'), ${LOCKED});`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const done = once(child, 'exit');
  await once(child.stdout, 'data');
  return { done };
}

/** Everything that reads or writes a whole log, of 20,000 records and of few. */
async function longLog(folder: string): Promise<readonly boolean[]> {
  const held: boolean[] = [];
  const logs = [await logOf(SHORT), await logOf(LONG)] as const;
  const path = join(folder, 'long.db');
  let number = 0;
  const works = async (store: RunStore, log: readonly LogRecord[]) => {
    const runs = openRuns(store);
    await store.insert(log, 'suspended');
    const text = await runs.export('bench');
    const id = () => {
      number += 1;
      return `copy-${number}`;
    };
    return {
      show: () => runs.show('bench'),
      why: () => runs.why('bench', '1.0'),
      replay: () => runs.replay('bench'),
      export: () => runs.export('bench'),
      import: () => runs.import(text, { newId: id() }),
      fork: () => runs.fork('bench', { at: log.length - 1, newId: id() }),
      restore: async () => {
        const run = await benchAgent({ steps: LONG, store, ends: false }).restore('bench');
        await run.close();
      },
      'policy check': () => runs.checkPolicies({ work: 'ask' }, { search: 'bench' }),
      'steps of the page': async () => foldRun().add(await store.read('bench')),
      delete: async () => runs.delete(await runs.import(text, { newId: id() }), { force: true }),
    };
  };
  const shorts = await works(sqliteStore({ path: join(folder, 'short.db') }), logs[0]);
  const longs = await works(sqliteStore({ path }), logs[1]);
  for (const [name, work] of Object.entries(longs)) {
    const beside = await longestBlock(shorts[name as keyof typeof shorts]);
    let [block, time] = [Number.POSITIVE_INFINITY, 0];
    for (let round = 0; round < ROUNDS && block > ALLOWED; round += 1) {
      const start = performance.now();
      block = Math.min(block, await longestBlock(work));
      time = performance.now() - start;
    }
    console.log(
      `${name}: ${logs[1].length} records in ${time.toFixed(0)} ms; of ${logs[0].length}, longest block ${beside.toFixed(0)} ms`,
    );
    held.push(judge(`${name}, ${logs[1].length} records: longest block`, block, ALLOWED));
  }
  return held;
}

/** The log of a run of so many turns: the first turn's records, again and again under their names. */
async function logOf(turns: number): Promise<readonly LogRecord[]> {
  const store = memoryStore();
  await benchAgent({ steps: 1, store, ends: false }).start('Work.', { runId: 'bench' }).outcome;
  const [start, ...turn] = await store.read('bench');
  if (start?.kind !== 'start') throw new Error('The run has no start.');
  const limits = { ...start.input.limits, turns, toolCalls: turns + 1 };
  const first = { ...start, input: { ...start.input, limits } };
  const all = Array.from({ length: turns }, (_, index) => {
    const text = JSON.stringify(turn)
      .replaceAll('1.0', `${index + 1}.0`)
      .replaceAll('"step":1', `"step":${index + 1}`);
    return JSON.parse(text) as readonly LogRecord[];
  }).flat();
  return [first, ...all].map((record, seq) => ({ ...record, seq }) as LogRecord);
}
