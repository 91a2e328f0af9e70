import { describe, expect, it } from 'vitest';
import { defineHook } from '../../src/hooks/index.ts';
import type { AgentOptions } from '../../src/run/agent.types.ts';
import { openRuns } from '../../src/run/runs.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { ScriptedStep } from '../../src/testing/scripted-model.ts';
import { answer, callNote, outcomes, scriptedAgent } from './support.ts';

const asks = { permissions: { policies: { note: 'ask' as const } } };

/** Runs a script to its rest in a store; at a question, a person does as told. */
async function stored(
  steps: readonly ScriptedStep[],
  options: Partial<AgentOptions> = {},
  person: 'approve' | 'deny' | 'leave' = 'approve',
) {
  const store = memoryStore();
  const { agent } = scriptedAgent(steps, { ...options, store });
  const run = agent.start('task');
  for await (const event of run) {
    if (event.type !== 'permission.requested') continue;
    for (const { callId } of event.questions) {
      if (person === 'approve') run.approve(callId, undefined, { by: 'ada' });
      if (person === 'deny') run.deny(callId, 'too dear', { by: 'ada' });
    }
    if (person === 'leave') await run.close();
  }
  return { store, runs: openRuns(store, { now: () => 5_000 }), agent };
}

describe('why', () => {
  it('an allowed call: every rule looked at, and the policy that allows it', async () => {
    const { runs } = await stored([callNote('a'), answer('ok')]);
    const why = await runs.why('run-1', '1.0');
    expect(why).toMatchObject({ tool: 'note', stands: 'ok', decidedBy: 'policy' });
    expect(why.entries.map(({ kind }) => kind)).toEqual([
      'asked_for',
      'decision',
      'started',
      'settled',
    ]);
    const [, decision] = why.entries;
    expect(decision).toMatchObject({
      kind: 'decision',
      action: 'allow',
      considered: [
        { rule: 'engine', matched: false, reason: { code: 'tool_not_covered' } },
        { rule: 'engine', matched: false, reason: { code: 'touches_private' } },
        { rule: 'policy', matched: true, action: 'allow' },
        { rule: 'engine', matched: false, reason: { code: 'outcome_unknown' } },
      ],
    });
    expect(why.wouldChange).toEqual([
      { zh: '一条禁止或要求询问的策略', en: 'A policy that denies it or asks' },
    ]);
  });

  it('a call that waits: what is missing', async () => {
    const { runs } = await stored([callNote('a')], asks, 'leave');
    const why = await runs.why('run-1', '1.0');
    expect(why).toMatchObject({ stands: 'asked', decidedBy: 'policy' });
    expect(why.wouldChange).toEqual([{ zh: '批准 use（note）', en: 'Approval of use for note' }]);
  });

  it('an approved call: who approved what, and which rule that lifted', async () => {
    const { runs } = await stored([callNote('a'), answer('ok')], asks);
    const why = await runs.why('run-1', '1.0');
    expect(why.entries).toContainEqual(
      expect.objectContaining({ kind: 'answer', answer: 'granted', by: 'ada', approvals: ['use'] }),
    );
    expect(why).toMatchObject({
      stands: 'ok',
      decidedBy: 'policy, lifted by ada',
      decider: { zh: 'policy，由 ada 的批准解除' },
      wouldChange: [{ en: 'Without that approval' }, { en: 'A policy that denies it or asks' }],
    });
  });

  it('a denied call: the person, the words, and what had been asked', async () => {
    const { runs } = await stored([callNote('a'), answer('ok')], asks, 'deny');
    const why = await runs.why('run-1', '1.0');
    expect(why).toMatchObject({ stands: 'denied', decidedBy: 'person: ada' });
    expect(why.entries.at(-1)).toMatchObject({
      kind: 'settled',
      reasons: [
        { code: 'person_denied', en: 'The call was not approved: too dear' },
        { code: 'use_not_approved' },
      ],
    });
  });

  it('a blocked call and one whose hook crashed: the hook and its words', async () => {
    const hook = (name: string, run: () => never) => defineHook({ name, event: 'PreToolUse', run });
    const block = hook('guard', (() => ({ decision: 'block', reason: 'not today' })) as never);
    const crash = hook('guard', () => {
      throw new Error('boom');
    });
    const blocked = await stored([callNote('a'), answer('ok')], { hooks: [block] });
    expect(await blocked.runs.why('run-1', '1.0')).toMatchObject({
      stands: 'blocked',
      decidedBy: 'hook: A hook blocked the call: guard: not today',
      wouldChange: [{ en: 'Another verdict of the hook' }],
    });
    const crashed = await stored([callNote('a'), answer('ok')], { hooks: [crash] });
    const why = await crashed.runs.why('run-1', '1.0');
    expect(why.stands).toBe('hook_failed');
    expect(why.decidedBy).toContain('boom');
  });

  it('a call of a tool that there is not, settled in the step that brought it', async () => {
    const unknown = { calls: [{ name: 'nope', arguments: {}, id: 'a' }], usage: null };
    const { runs } = await stored([unknown, answer('ok')]);
    const why = await runs.why('run-1', '1.0');
    expect(why).toMatchObject({ tool: 'nope', stands: 'unknown_tool' });
    expect(why.entries.map(({ kind }) => kind)).toEqual(['asked_for', 'settled']);
    expect(why.decider).toEqual({ zh: '引擎：unknown_tool', en: 'engine: unknown_tool' });
  });

  it('every hook that the call concerned, and every approval that was given for it', async () => {
    const hooks = [
      defineHook({
        name: 'curious',
        event: 'PreToolUse',
        run: () => ({ decision: 'ask', reason: 'sure?' }),
      }),
      defineHook({
        name: 'elsewhere',
        event: 'PreToolUse',
        matcher: 'other',
        run: () => ({ decision: 'block', reason: 'no' }),
      }),
    ];
    const { runs } = await stored([callNote('a'), answer('ok')], { hooks });
    const why = await runs.why('run-1', '1.0');
    expect(why.entries[1]).toMatchObject({
      kind: 'hook',
      hooks: ['curious'],
      verdict: 'ask',
      reasons: [{ source: 'curious', text: 'sure?' }],
    });
    expect(
      why.entries.flatMap((entry) => (entry.kind === 'decision' ? [entry] : [])),
    ).toMatchObject([
      { action: 'ask', grants: [] },
      { action: 'allow', grants: [{ by: 'ada', approvals: ['hook'], stands: 'holds' }] },
    ]);
  });

  it('a call that there is not: names those there are', async () => {
    const { runs } = await stored([callNote('a', 'b'), answer('ok')]);
    await expect(runs.why('run-1', '7.0')).rejects.toMatchObject({
      code: 'call_unknown',
      message: 'Run run-1 has no call 7.0. Its calls: 1.0, 1.1.',
    });
  });
});

describe('looking at stored runs', () => {
  it('shows every call with all decisions about it', async () => {
    const { runs } = await stored([callNote('a'), answer('ok')], asks);
    const [call, ...others] = (await runs.show('run-1')).calls;
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      callId: '1.0',
      tool: 'note',
      input: { text: 'a' },
      stands: 'ok',
      decisions: [{ action: 'ask', reasons: [{ code: 'use_not_approved' }] }, { action: 'allow' }],
    });
  });

  it('shows where a run stands, its questions, and a timeline that ends there', async () => {
    const { runs } = await stored([callNote('a')], asks, 'leave');
    const shown = await runs.show('run-1');
    expect(shown).toMatchObject({
      status: 'waiting',
      state: 'awaitPermission.asking',
      drivenBy: null,
      questions: [{ callId: '1.0', missing: ['use'] }],
    });
    expect(shown.timeline.map(({ what }) => what)).toEqual([
      'start',
      'done: callModel',
      'done: parseReply',
      'done: inspectFacts',
    ]);
    expect((await runs.replay('run-1', 1)).at(-1)).toMatchObject({ seq: 1, state: 'parseReply' });
    await expect(runs.replay('run-1', 9)).rejects.toMatchObject({ code: 'invalid_record' });
  });

  it('tells which decisions other policies would change', async () => {
    const { runs } = await stored([callNote('a', 'b'), answer('ok')], asks);
    expect(await runs.checkPolicies({ note: 'allow' })).toMatchObject({
      runs: 1,
      decisions: 4,
      flips: [
        { callId: '1.0', before: { action: 'ask' }, after: { action: 'allow' } },
        { callId: '1.1', before: { action: 'ask' }, after: { action: 'allow' } },
      ],
    });
    expect((await runs.checkPolicies({ note: 'ask' })).flips).toEqual([]);
    const denied = await runs.checkPolicies({});
    expect(denied.flips.map(({ after }) => after.reasons.map(({ zh }) => zh))).toEqual([
      ['未定义该工具'],
      ['未定义该工具'],
      ['未定义该工具'],
      ['未定义该工具'],
    ]);
  });
});

describe('answering stored runs', () => {
  it('refuses without writing what the run would not take', async () => {
    const { runs, store } = await stored([callNote('a')], asks, 'leave');
    expect(await runs.deny('run-1', '9.9', { by: 'ada' })).toMatchObject({
      result: { accepted: false, code: 'not_asked' },
    });
    expect(await runs.resume('run-1', { by: 'ada' })).toMatchObject({
      result: { code: 'not_suspended' },
    });
    expect(await store.pending('run-1')).toEqual([]);
  });

  it('knows what is answered already, though nobody has taken it yet', async () => {
    const { runs } = await stored([callNote('a', 'b')], asks, 'leave');
    await runs.approve('run-1', '1.0', { by: 'ada' });
    expect(await runs.deny('run-1', '1.0', { by: 'bob' })).toMatchObject({
      result: { accepted: false, code: 'not_asked' },
    });
    await runs.deny('run-1', '1.1', { by: 'bob' });
    expect((await runs.show('run-1')).waitingAnswers).toMatchObject([
      { type: 'permission.grant', callId: '1.0', by: 'ada' },
      { type: 'permission.deny', callId: '1.1', by: 'bob' },
    ]);
  });

  it('an answer that waits comes before anything else: what was cancelled starts nothing', async () => {
    const { runs, store } = await stored([callNote('a')], asks, 'leave');
    // Interrupted where it would go on by itself.
    const forked = await runs.fork('run-1', { at: 2, newId: 'fork' });
    await runs.cancel(forked, { by: 'ada' });
    const { agent, started, model } = scriptedAgent([], { ...asks, store });
    const run = await agent.restore(forked);
    expect(run.state).toBe('cancelled');
    expect(await run.outcome).toMatchObject({ status: 'cancelled' });
    expect([started, model.requests]).toEqual([[], []]);
    expect((await runs.show(forked)).waitingAnswers).toEqual([]);
  });

  it('a run restored as suspended goes on where a resume waits, and tells all of it', async () => {
    const store = memoryStore();
    const limits = { limits: { turns: 1 } };
    const first = scriptedAgent([callNote('a')], { ...limits, store }).agent.start('task');
    expect(await first.outcome).toMatchObject({ status: 'suspended', reason: 'limit.turns' });
    await first.close();
    const posted = await openRuns(store).resume('run-1', { by: 'ada', limits: { turns: 5 } });
    expect(posted).toEqual({ drivenBy: null, result: null });
    const { agent } = scriptedAgent([answer('ok')], { ...limits, store });
    const run = await agent.restore('run-1');
    const states: string[] = [];
    for await (const event of run) if (event.type === 'state') states.push(event.state);
    expect(states.at(-1)).toBe('done');
    expect(await run.outcome).toMatchObject({ status: 'done', answer: 'ok' });
  });

  it('keeps an answer until somebody drives the run', async () => {
    const { runs, store } = await stored([callNote('a')], asks, 'leave');
    expect(await runs.approve('run-1', '1.0', { by: 'ada' })).toEqual({
      drivenBy: null,
      result: null,
    });
    const { agent, started } = scriptedAgent([answer('ok')], { ...asks, store });
    const ended = await (await agent.restore('run-1')).outcome;
    expect(ended).toMatchObject({ status: 'done', answer: 'ok' });
    expect(outcomes(ended)).toEqual({ '1.0': 'ok' });
    expect(started).toEqual(['a']);
  });
});

describe('copying runs', () => {
  it('forks a run at a record, and the fork goes on by itself', async () => {
    const { runs, store } = await stored([callNote('a'), answer('ok')], asks);
    const forked = await runs.fork('run-1', { at: 3, newId: 'fork' });
    expect(await runs.show(forked)).toMatchObject({ status: 'waiting', records: 4 });
    const { agent, started } = scriptedAgent([answer('other')], { ...asks, store });
    await runs.deny('fork', '1.0', { by: 'ada' });
    const ended = await (await agent.restore('fork')).outcome;
    expect(ended).toMatchObject({ runId: 'fork', status: 'done', answer: 'other' });
    expect(started).toEqual([]);
    expect((await runs.show('run-1')).rest).toMatchObject({ status: 'done', answer: 'ok' });
  });

  it('forks under other policies only where they would have led the same way', async () => {
    const { runs } = await stored([callNote('a'), answer('ok')], asks);
    await expect(runs.fork('run-1', { at: 4, policies: { note: 'allow' } })).rejects.toMatchObject({
      code: 'fork_diverges',
      details: { seq: 3 },
    });
    const forked = await runs.fork('run-1', { at: 2, policies: { note: 'allow' }, newId: 'fork' });
    expect((await runs.show(forked)).state).toBe('awaitPermission.inspecting');
  });

  it('exports and imports a run, equal to the byte', async () => {
    const { runs } = await stored([callNote('a'), answer('ok')]);
    const text = await runs.export('run-1');
    const elsewhere = openRuns(memoryStore());
    expect(await elsewhere.import(text)).toBe('run-1');
    expect(await elsewhere.export('run-1')).toBe(text);
    await expect(elsewhere.import(text)).rejects.toMatchObject({ code: 'run_exists' });
    expect(await elsewhere.import(text, { newId: 'copy' })).toBe('copy');
  });

  it.each([
    ['cut off', (text: string) => text.split('\n').slice(0, -2).join('\n'), /cut off/u],
    ['not JSON', (text: string) => text.replace('{"seq":1', '{seq:1'), /line 3 is not JSON/u],
    ['of another kind', (text: string) => text.replace('agenthub-run', 'other'), /line 1/u],
    [
      'of a later version',
      (text: string) => text.replace('"version":1', '"version":2'),
      /version 2/u,
    ],
    [
      'out of order',
      (text: string) => text.replace('"seq":1', '"seq":5'),
      /record 1 is out of order/u,
    ],
    ['a record short', (text: string) => text.replace(/\{"seq":1.*/u, 'null'), /record 1: /u],
    [
      'of a record of no kind',
      (text: string) => text.replace(/(\{"seq":1.*"kind":")event/u, '$1foo'),
      /record 1\.kind/u,
    ],
    [
      'of an event that is none',
      (text: string) => text.replace(/"event":\{"type":"[^"]*"/u, '"event":{"type":5'),
      /record 1\.event\.type/u,
    ],
    [
      'without an input',
      (text: string) => text.replace('"input":', '"inputs":'),
      /record 0\.input/u,
    ],
    [
      'with a run id that is no text',
      (text: string) => text.replace('"input":{"runId":"run-1"', '"input":{"runId":{}'),
      /record 0\.input\.runId/u,
    ],
    [
      'with limits that are none',
      (text: string) => text.replace('"turns":25', '"turns":"x"'),
      /record 0: input\.limits\.turns/u,
    ],
    [
      'with a second start',
      (text: string) => {
        const [header, first, ...rest] = text.split('\n');
        const again = first?.replace('"seq":0', '"seq":1');
        return [header, first, again, ...rest.slice(1)].join('\n');
      },
      /record 1 is out of order/u,
    ],
    [
      'of another machine, and says so before anything about its input',
      (text: string) =>
        text.replace('"machineVersion":"1"', '"machineVersion":"9"').replace('"prompt":', '"p":'),
      /machine version 9/u,
    ],
  ])('refuses an export that is %s', async (_, change, words) => {
    const { runs } = await stored([callNote('a'), answer('ok')]);
    const text = change(await runs.export('run-1'));
    await expect(openRuns(memoryStore()).import(text)).rejects.toThrow(words);
  });
});
