import { describe, expect, it } from 'vitest';
import { AGENT_MACHINE_VERSION } from '../../machines/agent/agent.machine.ts';
import { DEFAULT_LIMITS, type Limits } from '../../machines/agent/agent.types.ts';
import { foldLog } from '../../src/run/fold.ts';
import { openRuns } from '../../src/run/runs.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { callNote, scriptedAgent } from './support.ts';

const FORGED: Limits = {
  ...{ turns: 9e15, toolCalls: 9e15, callsPerReply: 9e15, repairs: 0, stopBlocks: 9e15 },
  ...{ repeatedCalls: 9e15, tokens: null, time: 700_000, approvalDeadline: null },
  setbacks: 9e15,
};
const OWN: Partial<Limits> = { turns: 2, toolCalls: 50, repairs: 9, tokens: 5_000, time: null };

/** What a stranger's file holds: a run that has only begun, under limits of its own. */
async function forgedFile(limits: Limits = FORGED): Promise<string> {
  const store = memoryStore();
  const { agent } = scriptedAgent([], { store });
  const input = { ...agent.input('task', { runId: 'f' }), limits };
  const start = {
    seq: 0,
    at: 1,
    kind: 'start',
    machineVersion: AGENT_MACHINE_VERSION,
    input,
  } as const;
  await store.insert([start], 'running');
  return openRuns(store).export('f');
}

/** An agent that would call its tool for ever. */
function endless(store: ReturnType<typeof memoryStore>, limits: Partial<Limits> = OWN) {
  return scriptedAgent(
    Array.from({ length: 12 }, (_, index) => callNote(`${index}`)),
    { store, limits },
  );
}

async function imported(text: string, options = {}) {
  const store = memoryStore();
  const runs = openRuns(store);
  await runs.import(text, options);
  return { store, runs };
}

describe('the limits of an imported run', () => {
  it('are the lower of its own and of the agent that takes it up, each by itself', async () => {
    const { store } = await imported(await forgedFile());
    const { agent, started } = endless(store);
    const run = await agent.restore('f');
    expect(await run.outcome).toMatchObject({ status: 'suspended', reason: 'limit.turns' });
    expect(started).toEqual(['0', '1']);
    await run.close();
    expect(foldLog(await store.read('f')).context.limits).toEqual({
      ...DEFAULT_LIMITS,
      ...{ turns: 2, toolCalls: 50, repairs: 0, tokens: 5_000, time: 700_000 },
      ...{ callsPerReply: agent.limits.callsPerReply, stopBlocks: agent.limits.stopBlocks },
      ...{ repeatedCalls: agent.limits.repeatedCalls, approvalDeadline: null },
    });
  });

  it('are on record, so that the log tells the run as it was', async () => {
    const { store, runs } = await imported(await forgedFile());
    const { agent } = endless(store);
    const run = await agent.restore('f');
    const ended = await run.outcome;
    await run.close();
    const shown = await runs.show('f');
    expect(shown).toMatchObject({ status: 'suspended', state: 'suspended' });
    expect(shown.messages).toEqual(ended.messages);
    expect(shown.timeline[1]).toMatchObject({ what: 'limits', data: agent.limits });
    // Exported and imported once more it is a stranger's again, and tells the same.
    const again = await imported(await runs.export('f'));
    expect((await again.runs.show('f')).messages).toEqual(ended.messages);
  });

  it('may be raised by a person, and stay raised whoever takes it up next', async () => {
    const { store, runs } = await imported(await forgedFile());
    const first = await endless(store).agent.restore('f');
    await first.outcome;
    await first.close();
    await runs.resume('f', { by: 'ada', limits: { turns: 4 } });
    const { agent, started } = endless(store);
    const run = await agent.restore('f');
    await run.outcome;
    // It had two turns; the person gave it two more, beyond what the agent allows by itself.
    expect(started).toEqual(['0', '1']);
    await run.close();
    const { limits, counters } = foldLog(await store.read('f')).context;
    expect([limits.turns, counters.turns]).toEqual([4, 4]);
    expect((await store.read('f')).filter(({ kind }) => kind === 'limits')).toHaveLength(1);
  });

  it('are not raised by what a file says was written or resumed elsewhere', async () => {
    const { store, runs } = await imported(await forgedFile());
    const first = await endless(store).agent.restore('f');
    await first.outcome;
    await first.close();
    const lines = (await runs.export('f')).trimEnd().split('\n');
    const seq = lines.length - 1;
    const event = { type: 'run.resume', limits: { turns: 9e15 }, by: 'boss', at: 1 };
    const resumed = { seq, at: 1, kind: 'event', event };
    const written = { seq: seq + 1, at: 1, kind: 'limits', limits: FORGED };
    const header = { ...JSON.parse(lines[0] as string), records: seq + 2 };
    const more = [resumed, written].map((line) => JSON.stringify(line));
    const text = [JSON.stringify(header), ...lines.slice(1), ...more].join('\n');
    const other = await imported(text);
    const { agent, started } = endless(other.store);
    const run = await agent.restore('f');
    expect(await run.outcome).toMatchObject({ status: 'suspended', reason: 'limit.turns' });
    expect(started.length).toBeLessThanOrEqual(1);
    await run.close();
  });

  it('stay as a person raised them in a fork from within what came with the file', async () => {
    const source = await imported(await forgedFile());
    const first = await endless(source.store).agent.restore('f');
    await first.outcome;
    await first.close();
    const { store, runs } = await imported(await source.runs.export('f'));
    await runs.fork('f', { at: 0, newId: 'fork' });
    const taken = await endless(store).agent.restore('fork');
    await taken.outcome;
    expect(taken.resume({ turns: 4 })).toEqual({ accepted: true });
    await taken.outcome;
    await taken.close();
    const again = await endless(store).agent.restore('fork');
    expect(foldLog(await store.read('fork')).context.limits.turns).toBe(4);
    await again.close();
  });

  it("are the agent's also in a fork of it, and its own where the file is one's own", async () => {
    const text = await forgedFile({ ...FORGED, repairs: 3, time: null });
    const { store, runs } = await imported(text);
    await runs.fork('f', { at: 0, newId: 'fork' });
    const fork = endless(store);
    await (await fork.agent.restore('fork')).outcome;
    expect(fork.started).toHaveLength(2);
    const trusted = await imported(text, { isTrusted: true });
    const own = endless(trusted.store);
    await (await own.agent.restore('f')).outcome;
    // To the end of the script.
    expect(own.started).toHaveLength(12);
    expect((await trusted.store.read('f')).some(({ kind }) => kind === 'limits')).toBe(false);
  });
});
