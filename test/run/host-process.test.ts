import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineHook } from '../../src/hooks/index.ts';
import type { Model } from '../../src/model/model.types.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import type { Run } from '../../src/run/run.types.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

const unheard: unknown[] = [];
const hear = (thrown: unknown) => void unheard.push(thrown);
beforeEach(() => {
  unheard.length = 0;
  process.on('unhandledRejection', hear).on('uncaughtException', hear);
  // XState warns of each event for an actor that has ended: many here, and each as it should be.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  process.off('unhandledRejection', hear).off('uncaughtException', hear);
  vi.restoreAllMocks();
});

type Deed = (run: Run | undefined) => unknown;
const late = () =>
  new Promise((_, reject) => setImmediate(() => setImmediate(() => reject(new Error('late')))));

/** What code of a host's may do at any point, by itself or after it ended the run it is part of. */
const ENDS: Record<string, Deed> = {
  nothing: () => {},
  cancel: (run) => run?.cancel(),
  close: (run) => void run?.close(),
};
const FAILS: Record<string, Deed> = {
  'throw at once': () => {
    throw new Error('at once');
  },
  reject: () => Promise.reject(new Error('rejected')),
  'reject late': late,
  'reject later than that, unwaited': () => {
    const rejected = late();
    rejected.catch(() => {});
    return rejected;
  },
  'throw what is no error': () => {
    throw undefined;
  },
  'reject by a thenable': () => ({
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library's.
    then: (_: unknown, reject: (thrown: Error) => void) => reject(new Error('thenable')),
  }),
  nothing: () => {},
};

const PLACES = [
  ...['tool', 'inspectFacts', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'],
  ...['model', 'onDelta', 'onEvent', 'inspect'],
  ...['create', 'append', 'pending', 'release', 'renew'],
] as const;
type Place = (typeof PLACES)[number];

const RESTS = ['done', 'failed', 'cancelled', 'suspended', 'closed'];

async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) await new Promise((next) => setImmediate(next));
}

/** An agent of which one part does something else than its work, once the run is there. */
function agentThat(place: Place, does: () => unknown, store: RunStore | null) {
  const at = <Value>(here: Place, value: Value): Value =>
    place === here ? ((does() as Value | undefined) ?? value) : value;
  const tool = defineTool({
    name: 'work',
    description: { zh: '做', en: 'Works' },
    input: z.looseObject({}),
    inspectFacts: () => at('inspectFacts', Promise.resolve({})),
    execute: () => at('tool', place === 'renew' ? new Promise(() => {}) : Promise.resolve('done')),
  });
  const answers = {
    UserPromptSubmit: { decision: 'proceed' },
    PreToolUse: { decision: 'proceed' },
    PostToolUse: {},
    Stop: { decision: 'allow' },
  } as const;
  const hooks = (['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'] as const).map((event) =>
    defineHook({ name: event, event, run: () => at(event, answers[event] as never) }),
  );
  let time = 0;
  const model: Model = {
    name: 'm',
    generate: (request, { onDelta }) => {
      onDelta?.(at('onDelta', { kind: 'text', text: 'piece' }));
      const isFirst = request.messages.every(({ role }) => role !== 'tool');
      const calls = isFirst ? [{ id: 'a', name: 'work', arguments: '{}' }] : [];
      const reply = { text: 'ok', calls, finishReason: 'stop', model: 'm', requests: [] } as const;
      return at('model', Promise.resolve(reply));
    },
  };
  return createAgent({
    ...{ model, hooks, tools: [tool], permissions: { policies: { work: 'allow' } } },
    ...(store && { store }),
    // There every look at the clock is a stall: who asks whether all is saved renews the lease.
    leaseTime: 1_000,
    now: () => {
      time += place === 'renew' ? 10_000 : 0;
      return time;
    },
    onEvent: () => at('onEvent', undefined),
    inspect: () => at('inspect', undefined),
  });
}

/** A store of which one method does something else before its work. */
function storeThat(place: Place, does: () => unknown): RunStore {
  const store = memoryStore();
  const method = store[place as 'create'];
  if (method === undefined) return store;
  const other = (...given: Parameters<RunStore['create']>) => does() ?? method(...given);
  return { ...store, [place]: other } as RunStore;
}

describe('nothing a run does ends the process of its host', () => {
  it.each(PLACES)('%s', async (place) => {
    for (const [end, ends] of Object.entries(ENDS))
      for (const [fail, fails] of Object.entries(FAILS)) {
        // A piece of a reply is no promise: a rejected one would be this test's own.
        if (place === 'onDelta' && fail.startsWith('reject')) continue;
        let run: Run | undefined;
        let times = 0;
        const does = () => {
          times += 1;
          ends(run);
          return fails(run);
        };
        const agent = agentThat(place, does, storeThat(place, does));
        run = agent.start('go', { runId: 'run' });
        if (place === 'renew') await settle();
        await run.saved().catch(() => {});
        const outcome = await Promise.race([run.outcome, settle().then(settle).then(settle)]);
        if (outcome === undefined) await run.close();
        await settle();
        expect(RESTS).toContain((await run.outcome).status);
        expect({ end, fail, unheard, isReached: times > 0 }).toEqual({
          ...{ end, fail, unheard: [], isReached: true },
        });
      }
  });

  it('a tool that ends its run and rejects for it leaves nothing unheard', async () => {
    for (const end of ['cancel', 'close'] as const) {
      let run: Run | undefined;
      const giveUp = defineTool({
        name: 'give_up',
        description: { zh: '放弃', en: 'Gives up' },
        input: z.looseObject({}),
        execute: async (_, { signal }) => {
          void run?.[end]();
          signal.throwIfAborted();
          return '';
        },
      });
      const calls = [{ id: 'a', name: 'give_up', arguments: '{}' }];
      const reply = { text: '', calls, finishReason: 'stop', model: 'm', requests: [] } as const;
      run = createAgent({
        model: { name: 'm', generate: async () => reply },
        tools: [giveUp],
        permissions: { policies: { give_up: 'allow' } },
      }).start('go');
      expect((await run.outcome).status).toBe(end === 'cancel' ? 'cancelled' : 'closed');
      await settle();
      expect(unheard).toEqual([]);
    }
  });

  it('what a model tells after its reply is no part of it', async () => {
    const told: string[] = [];
    let tell = (): void => {};
    const agent = createAgent({
      model: {
        name: 'm',
        generate: async (_, { onDelta }) => {
          tell = () => onDelta?.({ kind: 'text', text: 'late' });
          onDelta?.({ kind: 'text', text: 'in time' });
          return { text: 'ok', calls: [], finishReason: 'stop', model: 'm', requests: [] };
        },
      },
      onEvent: (event) => {
        if (event.type === 'delta') told.push(event.delta.text);
        if (event.type === 'step.finished') tell();
      },
    });
    await agent.start('go').outcome;
    tell();
    await settle();
    expect(told).toEqual(['in time']);
  });
});
