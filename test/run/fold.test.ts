import { describe, expect, it } from 'vitest';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { defineHook } from '../../src/hooks/index.ts';
import type { AgentOptions } from '../../src/run/agent.types.ts';
import { foldSteps } from '../../src/run/fold.ts';
import type { Run } from '../../src/run/run.types.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { ScriptedStep } from '../../src/testing/scripted-model.ts';
import { answer, asked, callNote, fold, noteTool, recorder, scriptedAgent } from './support.ts';

interface Scenario {
  readonly steps: readonly ScriptedStep[];
  readonly options?: Partial<AgentOptions>;
  /** What a person does at each question. */
  readonly person?: (run: Run) => void;
  readonly status: string;
}

const asks = { permissions: { policies: { note: 'ask' as const } } };
const unavailable: ScriptedStep = { error: { code: 'unavailable', retryable: true } };
const failing = noteTool(() => Promise.reject(new Error('broken')));
const hook = defineHook({
  name: 'block',
  event: 'PreToolUse',
  run: () => ({ decision: 'block', reason: 'no' }),
});
const stop = defineHook({
  name: 'again',
  event: 'Stop',
  run: () => ({ decision: 'block', reason: 'more' }),
});

const SCENARIOS: Record<string, Scenario> = {
  'an answer': { steps: [answer('hi')], status: 'done' },
  'two calls and an answer': { steps: [callNote('a', 'b'), answer('hi')], status: 'done' },
  'an unknown tool and bad arguments': {
    steps: [
      {
        calls: [
          { name: 'nothing', arguments: {} },
          { name: 'note', arguments: '{"text":' },
        ],
      },
      answer('hi'),
    ],
    status: 'done',
  },
  'approved and denied in one batch': {
    steps: [callNote('a', 'b'), answer('hi')],
    options: asks,
    person: (run) => {
      run.approve(asked(run));
      run.deny('1.1', 'no');
    },
    status: 'done',
  },
  'cancelled at the question': {
    steps: [callNote('a')],
    options: asks,
    person: (run) => run.cancel(),
    status: 'cancelled',
  },
  'nobody answers in time': {
    steps: [callNote('a'), answer('hi')],
    options: { ...asks, limits: { approvalDeadline: 1 } },
    status: 'done',
  },
  'a tool that fails': {
    steps: [callNote('a'), answer('hi')],
    options: { tools: [failing.tool] },
    status: 'done',
  },
  'a blocked call': {
    steps: [callNote('a'), answer('hi')],
    options: { hooks: [hook] },
    status: 'done',
  },
  'stopped too often': {
    steps: [answer('a'), answer('b'), answer('c'), answer('d')],
    options: { hooks: [stop] },
    status: 'suspended',
  },
  'no model': { steps: [unavailable], status: 'suspended' },
  'a refused key': { steps: [{ error: { code: 'auth' } }], status: 'failed' },
  'empty replies': { steps: ['', '', '', ''], status: 'suspended' },
  'the same call again and again': {
    steps: [callNote('a'), callNote('a'), callNote('a')],
    status: 'suspended',
  },
};

describe('a log, folded, is the run', () => {
  it.each(Object.entries(SCENARIOS))('%s', async (_, { steps, options, person, status }) => {
    const { events, live, inspect } = recorder();
    const store = memoryStore();
    const { agent, model } = scriptedAgent(steps, { ...options, inspect, store });
    const run = agent.start('task');
    for await (const event of run) if (event.type === 'permission.requested') person?.(run);
    expect((await run.outcome).status).toBe(status);
    model.assertDone();

    expect(events[0]?.type).toBe('xstate.init');
    const { folded } = fold(JSON.parse(JSON.stringify(events)));
    expect(folded.length).toBe(live.length);
    for (const [index, state] of live.entries()) {
      expect(folded[index]?.value).toEqual(state.value);
      expect(folded[index]?.context).toEqual(state.context);
    }

    // What the engine stores and folds with one reused scope: the same, children included.
    const stored = [...foldSteps(await store.read('run-1'))]
      .filter(({ record }) => record.kind !== 'intent')
      .map(({ snapshot }) => JSON.stringify(agentMachine.getPersistedSnapshot(snapshot)));
    expect(stored).toEqual(folded.map(({ persisted }) => persisted));
  });
});
