import { describe, expect, it } from 'vitest';
import { AGENT_MACHINE_VERSION } from '../../machines/agent/agent.machine.ts';
import { likeImported } from '../../src/cli/trust/like-imported.ts';
import { foldLog } from '../../src/run/fold.ts';
import { openRuns } from '../../src/run/runs.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { callNote, scriptedAgent } from '../run/support.ts';

const HIGH = { turns: 9_000, toolCalls: 9_000 };

/** What somebody else packed: a run that was begun and taken up under limits of their own. */
async function brought(): Promise<RunStore> {
  const store = memoryStore();
  const { agent } = scriptedAgent([], { store, limits: HIGH });
  const input = agent.input('task', { runId: 'f' });
  const start = {
    seq: 0,
    at: 1,
    kind: 'start',
    machineVersion: AGENT_MACHINE_VERSION,
    input,
  } as const;
  const limits = { seq: 1, at: 1, kind: 'limits', limits: agent.limits } as const;
  await store.insert([{ ...start, imported: true, importedRecords: 1 }, limits], 'running');
  return store;
}

/** Goes on with it, by an agent that would call its tool for ever and may do so twice. */
async function goOn(store: RunStore) {
  const steps = Array.from({ length: 12 }, (_, index) => callNote(`${index}`));
  const { agent, started } = scriptedAgent(steps, { store, limits: { turns: 2 } });
  const run = await agent.restore('f');
  return { run, started };
}

describe('the limits of a run whose database came with a folder', () => {
  it("are the agent's, whatever the database says an agent wrote down", async () => {
    const store = likeImported(await brought());
    const { run, started } = await goOn(store);
    expect(await run.outcome).toMatchObject({ status: 'suspended', reason: 'limit.turns' });
    expect(started).toHaveLength(2);
    await run.close();
    expect(foldLog(await store.read('f')).context.limits.turns).toBe(2);
  });

  it('are not raised by an answer that waited in it', async () => {
    const foreign = await brought();
    const first = await goOn(likeImported(foreign));
    await first.run.outcome;
    await first.run.close();
    await foreign.post('f', { type: 'run.resume', limits: HIGH, by: 'boss', at: 1 });
    const { run, started } = await goOn(likeImported(foreign));
    // What waited is taken before a restored run is handed out.
    expect([run.state, started]).toEqual(['suspended', []]);
    await run.close();
  });

  it('are raised by an answer given while it is driven here', async () => {
    const store = likeImported(await brought());
    const { run, started } = await goOn(store);
    await run.outcome;
    const raised = await openRuns(store).resume('f', { by: 'ada', limits: { turns: 3 } });
    expect(raised.result).toEqual({ accepted: true });
    expect(await run.outcome).toMatchObject({ status: 'suspended', reason: 'limit.turns' });
    expect(started).toHaveLength(3);
    await run.close();
  });
});
