import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import type { Bench } from './bench.ts';
import { benchAgent, judge, leastOf, timeRun } from './workload.ts';

const ROUNDS = 3;
/** Rounds go on while a time is over its limit: what else the machine does only ever adds. */
const MOST_ROUNDS = 12;
const GROWTH = 1.5;
const RESTORING = 2;

/** What a stored run costs, in bytes and in time. */
export const persist: Bench = {
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'agenthub-bench-'));
    try {
      // The first runs pay for warming up.
      await timeRun({ steps: 200 });
      const [small, large] = [await measure(folder, 100), await measure(folder, 1_000)];
      for (let round = ROUNDS; round < MOST_ROUNDS && isSlow(small, large); round += 1) {
        least(small, await measure(folder, 100));
        least(large, await measure(folder, 1_000));
      }
      const figures = { '100 steps': small, '1000 steps': large };
      for (const [name, { stored, messages, inMemory, onDisk, restored }] of Object.entries(
        figures,
      ))
        console.log(
          `${name.padEnd(12)}stored ${stored} bytes, messages ${messages} bytes, in memory ${inMemory.toFixed(0)} ms, on disk ${onDisk.toFixed(0)} ms, restored ${restored.toFixed(0)} ms`,
        );
      return [
        judge('stored bytes, 1000 steps over 100', large.stored / small.stored, 12),
        judge('stored bytes over bytes of the messages', large.stored / large.messages, 2.5),
        judge('restoring over running in memory', large.restored / large.inMemory, RESTORING),
        judge(
          'time per step in memory, 1000 over 100',
          large.inMemory / small.inMemory / 10,
          GROWTH,
        ),
        judge('time per step on disk, 1000 over 100', large.onDisk / small.onDisk / 10, GROWTH),
      ].every((holds) => holds);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

type Figures = Awaited<ReturnType<typeof measure>>;

function isSlow(small: Figures, large: Figures): boolean {
  return (
    large.inMemory / small.inMemory / 10 > GROWTH ||
    large.onDisk / small.onDisk / 10 > GROWTH ||
    large.restored / large.inMemory > RESTORING
  );
}

/** Keeps the lesser times. */
function least(kept: Figures, other: Figures): void {
  for (const time of ['inMemory', 'onDisk', 'restored'] as const)
    kept[time] = Math.min(kept[time], other[time]);
}

let files = 0;

async function measure(folder: string, steps: number) {
  let path = '';
  const inMemory = await leastOf(ROUNDS, () => timeRun({ steps, ends: false }));
  const onDisk = await leastOf(ROUNDS, async () => {
    files += 1;
    path = join(folder, `${files}.db`);
    const store = sqliteStore({ path });
    const time = await timeRun({ steps, store, ends: false });
    await store.close();
    return time;
  });
  const stored = statSync(path).size;
  let messages = 0;
  const restored = await leastOf(ROUNDS, async () => {
    // The process that ran it is gone, and its lease with it.
    const store = sqliteStore({ path, now: () => Date.now() + 3_600_000 * (messages + 1) });
    const agent = benchAgent({ steps, store, ends: false });
    const start = performance.now();
    const run = await agent.restore('bench');
    const time = performance.now() - start;
    const outcome = await run.outcome;
    messages = Buffer.byteLength(JSON.stringify(outcome.messages));
    await run.close();
    await store.close();
    return time;
  });
  return { stored, messages, inMemory, onDisk, restored };
}
