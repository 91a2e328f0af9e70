import { describe, expect, it } from 'vitest';
import { assign, createActor, setup, toPromise } from 'xstate';
import type { AgentOutput } from '../../machines/agent/agent.types.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { answer, callNote, scriptedAgent } from './support.ts';

describe('a host machine', () => {
  it('invokes the agent as its child and receives its output', async () => {
    const { agent, started } = scriptedAgent([callNote('milk'), answer('noted')]);
    const host = setup({
      types: { context: {} as { output: AgentOutput | null } },
      actors: { agent: agent.machine },
    }).createMachine({
      id: 'host',
      context: { output: null },
      initial: 'working',
      states: {
        working: {
          invoke: {
            src: 'agent',
            input: () => agent.input('remember the milk'),
            onDone: {
              target: 'finished',
              actions: assign({ output: ({ event }) => event.output }),
            },
          },
        },
        finished: { type: 'final' },
      },
      output: ({ context }) => context.output,
    });
    const actor = createActor(host);
    actor.start();
    expect(await toPromise(actor)).toMatchObject({
      status: 'done',
      answer: 'noted',
      usage: { requests: 2, inputTokens: 20 },
    });
    expect(started).toEqual(['milk']);
  });

  it('starts nothing where the agent has a store: such a run has no log to restore it from', async () => {
    const { agent, started } = scriptedAgent([callNote('milk')], { store: memoryStore() });
    const actor = createActor(agent.machine, { input: agent.input('task') });
    const ended = toPromise(actor);
    actor.start();
    expect(await ended).toMatchObject({ status: 'failed', error: { code: 'not_driven' } });
    expect(started).toEqual([]);
  });

  it('answers the questions of its child and may cancel it', async () => {
    const asks = { permissions: { policies: { note: 'ask' as const } } };
    const { agent, started } = scriptedAgent([callNote('milk')], asks);
    const actor = createActor(agent.machine, { input: agent.input('task') });
    const ended = toPromise(actor);
    actor.subscribe((snapshot) => {
      if (snapshot.hasTag('waiting')) actor.send({ type: 'run.cancel', by: 'host', at: 5 });
    });
    actor.start();
    expect(await ended).toMatchObject({ status: 'cancelled' });
    expect(started).toEqual([]);
  });
});
