import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../machines/vocabulary/json.ts';
import { defineHook } from '../../src/hooks/index.ts';
import type { AgentOptions } from '../../src/run/agent.types.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import { foldLog } from '../../src/run/fold.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { LogRecord, RunStore } from '../../src/run/store/store.types.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { approveAll, outside } from './paying-agent.ts';
import { asked, noteTool, outcomes, untilAsked } from './support.ts';

/** Drives a run, approving everything, to its end. */
async function finish(options: AgentOptions, runId?: string) {
  const agent = createAgent(options);
  return approveAll(runId === undefined ? agent.start('pay both') : await agent.restore(runId));
}

/** A store that holds the beginning of a log, as a crash would leave it. */
async function storeWith(log: readonly LogRecord[]): Promise<RunStore> {
  const store = memoryStore();
  const [start, ...rest] = log;
  if (start?.kind !== 'start') throw new Error('no start');
  const lease = await store.create(start, { owner: 'dead', ttl: 1 });
  await store.append(lease, rest, { durable: true });
  await store.release(lease);
  return store;
}

describe.each([
  ['safe to repeat', true],
  ['not safe to repeat', false],
])('a run with two calls and an approval, tools %s', (_, safe) => {
  it('killed after any record, ends as if it had never been', async () => {
    const whole = memoryStore();
    const calm = outside();
    const expected = await finish(calm.options(whole, safe));
    const log = await whole.read('run');
    expect(expected).toMatchObject({ status: 'done', answer: 'paid' });
    expect(log.map(({ kind }) => kind).filter((kind) => kind === 'intent')).toHaveLength(2);

    for (let length = 1; length < log.length; length += 1) {
      const { effects, options } = outside();
      const before = log.slice(0, length);
      // What a started tool did before the crash took effect outside.
      for (const record of before)
        if (record.kind === 'intent')
          effects.push(`${record.callId === '1.0' ? 'a' : 'b'} run/${record.callId}/1`);
      const store = await storeWith(before);
      const ended = await finish(options(store, safe), 'run');
      expect({ length, status: ended.status, outcomes: outcomes(ended) }).toEqual({
        length,
        status: 'done',
        outcomes: { '1.0': 'ok', '1.1': 'ok' },
      });
      const kept = await store.read('run');
      expect(kept.slice(0, length)).toEqual(before);
      // A second start of a call that is not safe to repeat took a second approval.
      const repeated = effects.length - 2;
      const approvals = kept.filter(
        (record) => record.kind === 'event' && record.event.type === 'permission.grant',
      ).length;
      expect({ length, approvals }).toEqual({ length, approvals: safe ? 2 : 2 + repeated });
      expect(foldLog(kept).context.messages).toEqual(ended.messages);
    }
  });
});

describe('a call whose outcome is unknown', () => {
  /** A log that ends right after the first tool's intent. */
  async function interrupted() {
    const whole = memoryStore();
    await finish(outside().options(whole, false));
    const log = await whole.read('run');
    const intent = log.findIndex(({ kind }) => kind === 'intent');
    return storeWith(log.slice(0, intent + 1));
  }

  it('is put to a person, and a no closes it as unknown', async () => {
    const { effects, options } = outside();
    const run = await createAgent(options(await interrupted(), false)).restore('run');
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      const asked = event.questions.map(({ callId, missing }) => [callId, missing]);
      expect(asked).toEqual([['1.0', ['use', 'repeat']]]);
      run.deny('1.0', 'look into the books first');
    }
    expect(outcomes(await run.outcome)).toEqual({ '1.0': 'unknown', '1.1': 'ok' });
    expect(effects).toEqual(['b run/1.1/1']);
  });

  it('runs again under a new attempt when a person says so', async () => {
    const { effects, options } = outside();
    const ended = await finish(options(await interrupted(), false), 'run');
    expect(outcomes(ended)).toEqual({ '1.0': 'ok', '1.1': 'ok' });
    expect([...effects].sort()).toEqual(['a run/1.0/2', 'b run/1.1/1']);
  });
});

describe('restore refuses, and writes nothing', () => {
  const asked = async () => {
    const whole = memoryStore();
    await finish(outside().options(whole, false));
    return (await whole.read('run')).slice(0, 4);
  };
  const changed = (log: readonly LogRecord[], change: object): readonly LogRecord[] =>
    log.map((record) => (record.kind === 'start' ? { ...record, ...change } : record));

  it.each<
    [string, string, (log: readonly LogRecord[]) => readonly LogRecord[], Partial<AgentOptions>]
  >([
    [
      'another machine version',
      'version_mismatch',
      (log) => changed(log, { machineVersion: '0' }),
      {},
    ],
    [
      'other policies',
      'policies_changed',
      (log) => log,
      { permissions: { policies: { pay: 'allow' } } },
    ],
    [
      'other hooks',
      'hooks_changed',
      (log) => log,
      {
        hooks: [
          {
            name: 'h',
            event: 'Stop',
            matcher: '*',
            timeout: 1,
            run: () => ({ decision: 'allow' }),
          },
        ],
      },
    ],
    [
      'an event that cannot be folded',
      'log_corrupt',
      (log) =>
        log.map((record) =>
          record.seq === 1 ? ({ ...record, event: null as Json } as never) : record,
        ),
      {},
    ],
  ])('%s', async (_, code, change, other) => {
    const log = change(await asked());
    const store = await storeWith(log);
    const agent = createAgent({ ...outside().options(store, false), ...other });
    await expect(agent.restore('run')).rejects.toMatchObject({ code });
    expect(await store.read('run')).toEqual(log);
    expect((await store.list())[0]?.drivenBy).toBeNull();
  });

  it('names the tools whose policies differ: changed and added', async () => {
    const store = await storeWith(await asked());
    const { options } = outside();
    const policies = { pay: 'allow', note: 'ask' } as const;
    const given = options(store, false);
    const tools = [...(given.tools ?? []), noteTool().tool];
    const agent = createAgent({ ...given, tools, permissions: { policies } });
    await expect(agent.restore('run')).rejects.toMatchObject({
      code: 'policies_changed',
      message: expect.stringContaining('than this agent has, for: pay, note. Nothing'),
      details: { runId: 'run', policies: ['pay', 'note'] },
    });
  });

  const hook = (name: string, event: 'Stop' | 'PreToolUse' = 'Stop') =>
    defineHook({ name, event, run: () => undefined as never });
  it.each([
    ['changed', [hook('first'), hook('second', 'PreToolUse')], ['second']],
    ['missing', [hook('first')], ['second']],
    ['added', [hook('first'), hook('second'), hook('third')], ['third']],
    ['one missing, one added', [hook('first'), hook('third')], ['second', 'third']],
    ['in another order', [hook('second'), hook('first')], ['second', 'first']],
  ])('names the hooks that differ: %s', async (_, hooks, named) => {
    const whole = memoryStore();
    const { options } = outside();
    const began = { ...options(whole, false), hooks: [hook('first'), hook('second')] };
    await untilAsked(createAgent(began).start('pay both', { runId: 'run' }));
    const store = await storeWith(await whole.read('run'));
    const agent = createAgent({ ...options(store, false), hooks });
    await expect(agent.restore('run')).rejects.toMatchObject({
      code: 'hooks_changed',
      message: expect.stringContaining(`another order: ${named.join(', ')}. Nothing`),
      details: { runId: 'run', hooks: named },
    });
  });

  it('a run that has ended, one that is driven, one that is unknown, an agent without a store', async () => {
    const store = memoryStore();
    const { options } = outside();
    await finish(options(store, false));
    const agent = createAgent(options(store, false));
    await expect(agent.restore('run')).rejects.toMatchObject({ code: 'run_ended' });
    await expect(agent.restore('other')).rejects.toMatchObject({ code: 'run_unknown' });
    const { store: __, ...without } = options(store, false);
    await expect(createAgent(without).restore('run')).rejects.toMatchObject({ code: 'no_store' });
  });
});

describe('a store that fails', () => {
  it('at any write: nothing starts afterwards, and the run ends with that error', async () => {
    const calm = memoryStore();
    await finish(outside().options(calm, false));
    const writes = (await calm.read('run')).length + 20;
    let failures = 0;
    for (let failing = 1; failing <= writes; failing += 1) {
      const { effects, options } = outside();
      const inner = memoryStore();
      let count = 0;
      let effectsThen = -1;
      const fails = () => {
        count += 1;
        if (count < failing) return;
        if (effectsThen < 0) effectsThen = effects.length;
        throw new Error('disk on fire');
      };
      const store: RunStore = {
        ...inner,
        create: async (...given) => {
          fails();
          return inner.create(...given);
        },
        append: async (...given) => {
          fails();
          return inner.append(...given);
        },
      };
      const ended = await finish(options(store, false));
      if (effectsThen < 0) {
        expect(ended.status).toBe('done');
        continue;
      }
      failures += 1;
      expect(ended).toMatchObject({
        status: 'failed',
        error: { code: 'store_failed', message: 'disk on fire' },
      });
      expect(effects.length).toBe(effectsThen);
    }
    expect(failures).toBeGreaterThan(10);
  });
});

it('a run does not go on without the tool of an open question: the approval would run into nothing', async () => {
  const store = memoryStore();
  const scaling = defineTool({
    name: 'image_scaling',
    description: { zh: '缩放', en: 'Scales' },
    input: z.strictObject({}),
    inspectFacts: async () => ({ outputExists: true }),
    execute: async () => 'scaled',
  });
  const call = { calls: [{ name: 'image_scaling', arguments: {}, id: 'a' }], usage: null };
  const model = scriptedModel([call, { text: 'ok', usage: null }]);
  const run = createAgent({ model, tools: [scaling], store }).start('go', { runId: 'run' });
  await untilAsked(run);
  await run.close();
  const log = await store.read('run');
  await expect(createAgent({ model, store }).restore('run')).rejects.toMatchObject({
    code: 'tools_changed',
    message:
      'Run run has open calls of tools that this agent has not: image_scaling. Nothing was written. Give the agent these tools.',
  });
  expect(await store.read('run')).toEqual(log);
  const restored = await createAgent({ model, tools: [scaling], store }).restore('run');
  restored.approve(asked(restored));
  expect(outcomes(await restored.outcome)).toEqual({ '1.0': 'ok' });
});
