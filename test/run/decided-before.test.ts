import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from '../../src/run/agent.types.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { LogRecord, RunStore } from '../../src/run/store/store.types.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { outcomes, untilAsked } from './support.ts';

/** The world outside: the rate a call is decided on, the time, and what was paid. */
function outside({ isSafe = false } = {}) {
  const world = { rate: 1, time: 1_000, paid: [] as number[] };
  const pay = defineTool({
    name: 'pay',
    description: { zh: '付款', en: 'Pays' },
    input: z.strictObject({}),
    safeToRepeat: isSafe,
    inspectFacts: async () => ({ rate: world.rate }),
    execute: async (_, { facts }) => {
      world.paid.push(Number(facts.rate));
      return 'paid';
    },
  });
  const options = (store: RunStore): AgentOptions => ({
    store,
    tools: [pay],
    permissions: { policies: { pay: 'ask' } },
    now: () => world.time,
    model: scriptedModel([
      (request) =>
        request.messages.some(({ role }) => role === 'tool')
          ? 'done'
          : { calls: [{ name: 'pay', arguments: {} }] },
    ]),
  });
  return { world, options };
}

/** A run that was approved until 2 000, killed before or after the intent of its call. */
async function killed(options: (store: RunStore) => AgentOptions, at: 'decided' | 'started') {
  const whole = memoryStore();
  const run = createAgent(options(whole)).start('pay', { runId: 'run' });
  await untilAsked(run);
  for (const question of run.questions) run.approve(question, { expiresAt: 2_000 });
  await run.outcome;
  const log = await whole.read('run');
  const intent = log.findIndex(({ kind }) => kind === 'intent');
  return storeWith(log.slice(0, at === 'decided' ? intent : intent + 1));
}

async function storeWith([start, ...rest]: readonly LogRecord[]): Promise<RunStore> {
  if (start?.kind !== 'start') throw new Error('no start');
  const store = memoryStore();
  const lease = await store.create(start, { owner: 'dead', ttl: 1 });
  await store.append(lease, rest, { durable: true });
  await store.release(lease);
  return store;
}

describe('a run that was decided on and had not started when its process died', () => {
  it('starts, as approved, while what it was decided on still stands', async () => {
    const { world, options } = outside();
    const store = await killed(options, 'decided');
    world.paid.length = 0;
    const run = await createAgent(options(store)).restore('run');
    expect(outcomes(await run.outcome)).toEqual({ '1.0': 'ok' });
    expect(world.paid).toEqual([1]);
    const starts = (await store.read('run')).filter(({ kind }) => kind === 'intent');
    expect(starts).toMatchObject([{ callId: '1.0', attempt: 1 }]);
  });

  it('does not start when its approval has ended since', async () => {
    const { world, options } = outside();
    const store = await killed(options, 'decided');
    world.paid.length = 0;
    world.time = 5_000;
    const run = await createAgent(options(store)).restore('run');
    expect(outcomes(await run.outcome)).toEqual({ '1.0': 'expired' });
    expect(world.paid).toEqual([]);
  });

  it('asks again when its facts have changed since', async () => {
    const { world, options } = outside();
    const store = await killed(options, 'decided');
    world.paid.length = 0;
    world.rate = 2;
    const run = await createAgent(options(store)).restore('run');
    await untilAsked(run);
    expect(run.questions).toMatchObject([{ callId: '1.0', earlierApprovalVoid: true }]);
    expect(world.paid).toEqual([]);
    for (const question of run.questions) run.approve(question);
    expect(outcomes(await run.outcome)).toEqual({ '1.0': 'ok' });
    expect(world.paid).toEqual([2]);
  });

  it('is still unknown where it may have started, whatever has ended since', async () => {
    const { world, options } = outside();
    const store = await killed(options, 'started');
    world.time = 5_000;
    const run = await createAgent(options(store)).restore('run');
    await untilAsked(run);
    expect(run.questions).toMatchObject([{ callId: '1.0', missing: ['use', 'repeat'] }]);
    await run.close();
  });

  it('looks its facts up again also where repeating does no harm', async () => {
    const { world, options } = outside({ isSafe: true });
    const store = await killed(options, 'started');
    world.paid.length = 0;
    world.rate = 2;
    const run = await createAgent(options(store)).restore('run');
    await untilAsked(run);
    expect(run.questions).toMatchObject([{ callId: '1.0', missing: ['use'] }]);
    expect(world.paid).toEqual([]);
    await run.close();
  });
});
