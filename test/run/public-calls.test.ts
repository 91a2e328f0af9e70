import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/run/agent.types.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import type { Run } from '../../src/run/run.types.ts';
import { openRuns } from '../../src/run/runs.ts';
import type { Runs } from '../../src/run/runs.types.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { answer, asked, asks, callNote, noteTool, scriptedAgent, untilAsked } from './support.ts';

// Hosts hand on what pages and scripts send: none of these calls is possible by their types.
type Loose<Part> = { [Name in keyof Part]: (...given: readonly unknown[]) => unknown };

async function waitingRun() {
  const store = memoryStore();
  const { agent, started } = scriptedAgent([callNote('a'), answer('ok')], { ...asks, store });
  const run = agent.start('task');
  await untilAsked(run);
  await run.saved();
  const runs = openRuns(store, { patience: 0 });
  return { agent, run, runs, store, started };
}

const NONSENSE = [null, 5, '', 'x', true, [], { foo: 1 }, Number.NaN, { callId: 5, shown: 1 }];

describe('an answer that is none', () => {
  const question = { callId: '1.0', shown: 'x' };
  const calls: Record<string, readonly (readonly unknown[])[]> = {
    approve: [
      ...NONSENSE.map((one) => [one]),
      ['1.0'],
      ['1.0', { by: 'ada' }],
      [{ callId: '1.0' }],
      [question, null],
      [question, 5],
      [question, { by: 5 }],
      [question, { by: '' }],
      [question, { expiresAt: Number.NaN }],
      [question, { expiresAt: 'soon' }],
      [question, { approvals: ['all'] }],
      [question, { approvals: 'use' }],
      [question, { expires: 1 }],
      [{ ...question, missing: ['everything'] }],
    ],
    deny: [
      ...[null, 5, true, [], { foo: 1 }, {}].map((one) => [one]),
      ['1.0', 5],
      ['1.0', null],
      ['1.0', 'no', 5],
      ['1.0', 'no', { by: 5 }],
      ['1.0', 'no', { because: 'x' }],
    ],
    cancel: [[null], [5], ['x'], [{ by: 5 }], [{ by: '' }], [{ force: true }]],
    resume: [['x'], [5], [null], [{ turn: 5 }], [{ turns: -1 }], [{}, 5], [{}, { by: 5 }]],
  };

  it.each(
    Object.entries(calls).flatMap(([name, given]) => given.map((args) => [name, args] as const)),
  )('run.%s(%j) is refused, and changes nothing', async (name, args) => {
    const { run, started } = await waitingRun();
    const result = (run as unknown as Loose<Run>)[name as 'approve'](...args);
    expect(result).toMatchObject({ accepted: false, code: 'invalid_answer' });
    expect(run.questions).toHaveLength(1);
    expect(started).toEqual([]);
    await run.close();
  });

  it.each(
    Object.entries(calls).flatMap(([name, given]) =>
      given
        .filter(([, reason]) => name !== 'deny' || reason === undefined)
        .filter(() => name === 'approve' || name === 'deny')
        .map((args) => [name, args] as const),
    ),
  )('runs.%s(id, %j) is refused, and nothing is posted', async (name, args) => {
    const { run, runs, store } = await waitingRun();
    const [first, options = { by: 'ada' }] = args;
    const posted = await (runs as unknown as Loose<Runs>)[name as 'approve'](
      'run-1',
      first,
      options,
    );
    expect(posted).toMatchObject({ result: { accepted: false, code: 'invalid_answer' } });
    expect(await store.pending('run-1')).toEqual([]);
    await run.close();
  });

  it.each([
    ['approve', [question]],
    ['approve', [question, {}]],
    ['deny', ['1.0', { by: 'ada', reason: 5 }]],
    ['deny', ['1.0']],
    ['cancel', []],
    ['cancel', [null]],
    ['cancel', [{ by: 5 }]],
    ['resume', [{ by: 'ada', limits: 'x' }]],
    ['resume', ['x']],
  ])('runs.%s(id, …%j): who answers, and what, must be plain', async (name, args) => {
    const { run, runs, store } = await waitingRun();
    const posted = await (runs as unknown as Loose<Runs>)[name as 'approve']('run-1', ...args);
    expect(posted).toMatchObject({ result: { accepted: false, code: 'invalid_answer' } });
    expect(await store.pending('run-1')).toEqual([]);
    await run.close();
  });
});

describe('a call that makes no sense', () => {
  it.each<[string, (runs: Loose<Runs>) => unknown, string]>([
    ...(['show', 'replay', 'why', 'cancel', 'fork', 'delete', 'export'] as const).map(
      (name): [string, (runs: Loose<Runs>) => unknown, string] => [
        `${name}(5)`,
        (runs) =>
          runs[name](5, name === 'cancel' ? { by: 'ada' } : name === 'fork' ? { at: 0 } : {}),
        'invalid_options',
      ],
    ),
    ['list(5)', (runs) => runs.list(5), 'invalid_options'],
    ['list({ state })', (runs) => runs.list({ state: 'done' }), 'invalid_options'],
    ['replay to text', (runs) => runs.replay('run-1', 'x'), 'invalid_record'],
    ['why of a number', (runs) => runs.why('run-1', 5), 'call_unknown'],
    ['fork without options', (runs) => runs.fork('run-1', null), 'invalid_options'],
    ['fork at nothing', (runs) => runs.fork('run-1', {}), 'invalid_record'],
    ['fork of policies', (runs) => runs.fork('run-1', { at: 0, policies: 5 }), 'invalid_options'],
    ['policies', (runs) => runs.checkPolicies(5), 'invalid_options'],
    ['delete by force of text', (runs) => runs.delete('run-1', { force: 'x' }), 'invalid_options'],
    ['delete with null', (runs) => runs.delete('run-1', null), 'invalid_options'],
    ['import of a number', (runs) => runs.import(5), 'invalid_export'],
    ['import with options of text', (runs) => runs.import('{}', 'x'), 'invalid_options'],
  ])('runs.%s is refused with a code', async (_, call, code) => {
    const { run, runs } = await waitingRun();
    await expect(call(runs as unknown as Loose<Runs>)).rejects.toMatchObject({
      name: 'AgentHubError',
      code,
    });
    await run.close();
  });

  it.each<[string, (agent: Loose<Agent>) => unknown]>([
    ['start with null', (agent) => agent.start('x', null)],
    ['start with text', (agent) => agent.start('x', 'run-2')],
    ['start with an unknown option', (agent) => agent.start('x', { id: 'run-2' })],
    ['start from a history of text', (agent) => agent.start('x', { history: 'x' })],
    ['input with an unknown option', (agent) => agent.input('x', { runID: 'run-2' })],
    ['restore(5)', (agent) => agent.restore(5)],
    ['restore()', (agent) => agent.restore()],
  ])('agent: %s', async (_, call) => {
    const { agent, run } = await waitingRun();
    const called = async () => call(agent as unknown as Loose<Agent>);
    await expect(called()).rejects.toMatchObject({
      name: 'AgentHubError',
      code: 'invalid_options',
    });
    await run.close();
  });

  it.each([null, 5, 'x', [], { model: null }, { model: { generate() {} }, tools: 5 }])(
    'createAgent(%j)',
    (options) => {
      expect(() => createAgent(options as never)).toThrowError(
        expect.objectContaining({ name: 'AgentHubError', code: 'invalid_options' }),
      );
    },
  );

  it.each([{ hooks: {} }, { permissions: 5 }, { permissions: { policy: {} } }, { store: {} }])(
    'createAgent({ model, … %j })',
    (more) => {
      expect(() => scriptedAgent([], more as never)).toThrowError(
        expect.objectContaining({ name: 'AgentHubError', code: 'invalid_options' }),
      );
    },
  );
});

describe('what a host is given', () => {
  it('is no way into the agent: its policies, tools and limits stay as they were', async () => {
    const { tool, started } = noteTool();
    const changing = { ...tool };
    const policies = { note: 'deny' as const };
    const { agent } = scriptedAgent([callNote('a'), answer('ok')], {
      tools: [changing],
      permissions: { policies },
    });
    Object.assign(changing, { execute: async () => 'changed', timeout: 1, name: 'other' });
    Object.assign(policies, { note: 'allow' });
    for (const change of [
      () => Object.assign(agent.policies, { note: 'allow' }),
      () => Object.assign(agent.limits, { turns: 1 }),
      () => Object.assign(agent.tools[0] as object, { name: 'other' }),
      () => (agent.tools as unknown[]).pop(),
      () => Object.assign(agent, { policies: {} }),
    ])
      expect(change).toThrow(TypeError);
    const outcome = await agent.start('task').outcome;
    expect(outcome.messages.at(-2)).toMatchObject({ tool: 'note', outcome: 'denied' });
    expect(started).toEqual([]);
  });

  it('runs the tool that was given, however it is changed', async () => {
    const { tool, started } = noteTool();
    const changing = { ...tool };
    const { agent } = scriptedAgent([callNote('a'), answer('ok')], { tools: [changing] });
    Object.assign(changing, { execute: async () => 'changed' });
    await agent.start('task').outcome;
    expect(started).toEqual(['a']);
  });

  it('is no way into a run: its trace is a list that stays as it was', async () => {
    const { agent } = scriptedAgent([callNote('a'), answer('ok')]);
    const run = agent.start('task');
    const before = run.trace;
    expect(run.trace).toBe(before);
    await run.outcome;
    expect(before.length).toBeLessThan(run.trace.length);
    expect(() => Object.assign(run.trace, { length: 0 })).toThrow(TypeError);
    expect(() => Object.assign(run.trace[0] as object, { kind: 'tool' })).toThrow(TypeError);
    expect(run.trace.map(({ kind }) => kind)).toEqual(['model', 'decision', 'tool', 'model']);
  });

  it('is a question that says what it said, whatever a host does to it', async () => {
    const { run, started } = await waitingRun();
    const [question] = run.questions;
    expect(() => Object.assign(question?.input as object, { text: 'b' })).toThrow(TypeError);
    expect(run.approve(asked(run))).toEqual({ accepted: true });
    await run.outcome;
    expect(started).toEqual(['a']);
  });
});
