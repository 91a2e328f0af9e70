import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from '../../src/run/create-agent.ts';
import { foldLog } from '../../src/run/fold.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import { payingAgent } from '../run/paying-agent.ts';
import { bundle } from './programs.ts';
import type { WorkerAnswer, WorkerOrder } from './worker.ts';

let program = '';
let folder = '';
let workers: ChildProcess[] = [];

beforeAll(async () => {
  program = await bundle('worker');
}, 60_000);
afterAll(() => rmSync(program, { force: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthub-processes-'));
});
afterEach(() => {
  for (const worker of workers) worker.kill('SIGKILL');
  workers = [];
  rmSync(folder, { recursive: true, force: true });
});

/** A process on the database of this test, and how to ask it for something. */
async function hire(owner: string) {
  const worker = fork(program, [join(folder, 'runs.db'), owner], { execArgv: [] });
  workers.push(worker);
  const gone = new Promise<never>((_, reject) =>
    worker.once('exit', (code) => reject(new Error(`${owner} is gone: ${code}`))),
  );
  gone.catch(() => {});
  const answer = () => {
    const said = new Promise<WorkerAnswer>((resolve) =>
      worker.once('message', (message) => resolve(message as WorkerAnswer)),
    );
    return Promise.race([said, gone]);
  };
  await answer();
  return async (order: WorkerOrder): Promise<WorkerAnswer> => {
    const answered = answer();
    worker.send(order);
    return answered;
  };
}

/** Runs that wait for an approval and that nobody drives. */
async function waitingRuns(count: number): Promise<string[]> {
  const store = sqliteStore({ path: join(folder, 'runs.db') });
  const agent = createAgent(payingAgent(store).options);
  const ids = Array.from({ length: count }, (_, index) => `run-${index}`);
  for (const runId of ids) {
    const run = agent.start('pay both', { runId });
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      await run.saved();
      await run.close();
    }
  }
  await store.close();
  return ids;
}

describe('several processes on one database', () => {
  it('two take up a run at once, 100 times: one drives, the other is told who', async () => {
    const ids = await waitingRuns(100);
    const [ada, bob] = [await hire('ada'), await hire('bob')];
    const wins = { ada: 0, bob: 0 };
    for (const runId of ids) {
      const [first, second] = await Promise.all([
        ada({ type: 'take', runId }),
        bob({ type: 'take', runId }),
      ]);
      const winner = first.type === 'taken' ? 'ada' : 'bob';
      wins[winner] += 1;
      const [mine, theirs] = winner === 'ada' ? [first, second] : [second, first];
      expect(mine).toEqual({ type: 'taken' });
      expect(theirs).toEqual({ type: 'refused', code: 'run_driven', owner: winner });
      const ended = await (winner === 'ada' ? ada : bob)({ type: 'finish' });
      expect(ended).toEqual({
        type: 'finished',
        status: 'done',
        effects: [`a ${runId}/1.0/1`, `b ${runId}/1.1/1`],
      });
    }
    console.log(`first: ada ${wins.ada} times, bob ${wins.bob} times`);
    const store = sqliteStore({ path: join(folder, 'runs.db') });
    for (const runId of ids) expect(foldLog(await store.read(runId)).value).toBe('done');
    await store.close();
  }, 120_000);

  it('four with 25 runs each: all finish, none is told that the database is locked', async () => {
    const names = ['ada', 'bob', 'eve', 'joe'];
    const hired = await Promise.all(names.map(hire));
    const answers = await Promise.all(
      hired.map((ask, index) => ask({ type: 'drive', prefix: names[index] ?? '', runs: 25 })),
    );
    for (const answer of answers)
      expect(answer).toEqual({ type: 'driven', statuses: Array(25).fill('done'), errors: [] });
    const store = sqliteStore({ path: join(folder, 'runs.db') });
    const runs = await store.list({ status: 'done', limit: 1_000 });
    expect(runs).toHaveLength(100);
    for (const { runId } of runs) expect(foldLog(await store.read(runId)).value).toBe('done');
    await store.close();
  }, 120_000);
});
