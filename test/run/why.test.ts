import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineHook } from '../../src/hooks/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { answer, asks, callNote, noteTool, storedRun } from './support.ts';

describe('why', () => {
  it('an allowed call: every rule looked at, and the policy that allows it', async () => {
    const { runs } = await storedRun([callNote('a'), answer('ok')]);
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
    const { runs } = await storedRun([callNote('a')], asks, 'leave');
    const why = await runs.why('run-1', '1.0');
    expect(why).toMatchObject({ stands: 'asked', decidedBy: 'policy' });
    expect(why.wouldChange).toEqual([{ zh: '批准 use（note）', en: 'Approval of use for note' }]);
  });

  it('an approved call: who approved what, and which rule that lifted', async () => {
    const { runs } = await storedRun([callNote('a'), answer('ok')], asks);
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
    const { runs } = await storedRun([callNote('a'), answer('ok')], asks, 'deny');
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
    const blocked = await storedRun([callNote('a'), answer('ok')], { hooks: [block] });
    expect(await blocked.runs.why('run-1', '1.0')).toMatchObject({
      stands: 'blocked',
      decidedBy: 'hook: A hook blocked the call: guard: not today',
      wouldChange: [{ en: 'Another verdict of the hook' }],
    });
    const crashed = await storedRun([callNote('a'), answer('ok')], { hooks: [crash] });
    const why = await crashed.runs.why('run-1', '1.0');
    expect(why.stands).toBe('hook_failed');
    expect(why.decidedBy).toContain('boom');
  });

  it('a call of a tool that there is not, settled in the step that brought it', async () => {
    const unknown = { calls: [{ name: 'nope', arguments: {}, id: 'a' }], usage: null };
    const { runs } = await storedRun([unknown, answer('ok')]);
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
    const other = defineTool({
      name: 'other',
      description: { zh: '别的', en: 'Something else' },
      input: z.strictObject({}),
      execute: async () => '',
    });
    const tools = [noteTool().tool, other];
    const { runs } = await storedRun([callNote('a'), answer('ok')], { hooks, tools });
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
    const { runs } = await storedRun([callNote('a', 'b'), answer('ok')]);
    await expect(runs.why('run-1', '7.0')).rejects.toMatchObject({
      code: 'call_unknown',
      message: 'Run run-1 has no call 7.0. Its calls: 1.0, 1.1.',
    });
  });
});
