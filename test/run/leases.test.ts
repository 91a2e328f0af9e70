import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentOptions } from '../../src/run/agent.types.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import { foldLog } from '../../src/run/fold.ts';
import { openRuns } from '../../src/run/runs.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import { approveAll, payingAgent } from './paying-agent.ts';
import { asked } from './support.ts';

let folder = '';
let time = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthub-leases-'));
  time = 1_000_000;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => sqliteStore({ path: join(folder, 'runs.db'), now: () => time });

/** A run that waits for a person, still driven. */
async function waiting(options: AgentOptions) {
  const run = createAgent(options).start('pay both', { runId: 'run' });
  for await (const event of run)
    if (event.type === 'permission.requested') {
      await run.saved();
      break;
    }
  return run;
}

describe('a driver that stood still for longer than its lease', () => {
  it('goes on if nobody took the run over', async () => {
    const store = open();
    const { options, effects } = payingAgent(store);
    const run = await waiting(options);
    time += 3_600_000;
    expect((await store.list())[0]?.drivenBy).toBeNull();
    for (const question of run.questions) run.approve(question);
    expect((await run.outcome).status).toBe('done');
    expect(effects).toHaveLength(2);
    await store.close();
  });

  it('is fenced off if somebody did: it starts nothing, and the other finishes', async () => {
    const [mine, theirs] = [open(), open()];
    const ada = payingAgent(mine);
    const bob = payingAgent(theirs);
    const run = await waiting({ ...ada.options, owner: 'ada' });
    time += 3_600_000;
    const other = await createAgent({ ...bob.options, owner: 'bob' }).restore('run');
    for (const question of run.questions) run.approve(question);
    expect(await run.outcome).toMatchObject({ status: 'failed', error: { code: 'lease_lost' } });
    expect(ada.effects).toEqual([]);
    expect((await approveAll(other)).status).toBe('done');
    expect(bob.effects).toHaveLength(2);
    const log = await mine.read('run');
    expect(foldLog(log).value).toBe('done');
    await mine.close();
    await theirs.close();
  });
});

describe('two stores on one file in one process', () => {
  it('one drives, the other is told who, and its answers are taken', async () => {
    const [mine, theirs] = [open(), open()];
    const { options, effects } = payingAgent(mine);
    const run = await waiting({ ...options, owner: 'ada' });
    const other = createAgent({ ...payingAgent(theirs).options, owner: 'bob' });
    await expect(other.restore('run')).rejects.toMatchObject({
      code: 'run_driven',
      details: { owner: 'ada' },
    });
    const runs = openRuns(theirs);
    expect(await runs.approve('run', asked(run), { by: 'eve' })).toEqual({
      drivenBy: 'ada',
      result: { accepted: true },
    });
    expect(await runs.deny('run', '1.1', { by: 'eve' })).toMatchObject({
      result: { accepted: true },
    });
    expect((await run.outcome).status).toBe('done');
    expect(effects).toEqual(['a run/1.0/1']);
    await mine.close();
    await theirs.close();
  });

  it('both drive runs of their own, all at once, with leases so short that they must be renewed', async () => {
    const stores = [0, 1].map(() => sqliteStore({ path: join(folder, 'runs.db') }));
    const outcomes = await Promise.all(
      stores.flatMap((store, which) => {
        const agent = createAgent({ ...payingAgent(store).options, leaseTime: 30 });
        return Array.from({ length: 50 }, (_, index) =>
          approveAll(agent.start('pay both', { runId: `run-${which}-${index}` })),
        );
      }),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(Array(100).fill('done'));
    for (const store of stores) {
      expect(await store.list({ status: 'done', limit: 1_000 })).toHaveLength(100);
      await store.close();
    }
  });
});
