import { describe, expect, it } from 'vitest';
import {
  type Authorization,
  authorizationOf,
  type Decision,
  evaluate,
  NO_AUTHORIZATION,
} from '../../machines/permission/evaluate.ts';
import { DEFAULT_POLICIES, type Policies } from '../../machines/permission/policies.ts';
import { APPROVALS } from '../../machines/permission/reasons.ts';
import { approvalSets, type Case, codes, everyCase, factsOf, plain } from './cases.ts';

// The oracle: the rules of the design, written down again by hand.

function expected(given: Case): { action: string; reasons: string[] } {
  const { tool, approved } = given;
  if (!['knowledge_search', 'todo_write', 'image_scaling'].includes(tool))
    return { action: 'deny', reasons: ['未定义该工具'] };
  if (given.isPrivate) return { action: 'deny', reasons: ['普通授权不能解除这个禁止'] };
  const reasons: string[] = [];
  if (tool === 'image_scaling') {
    if (given.isOutside && !approved.has('outside'))
      reasons.push('访问允许区域之外的图片目标尚未获批');
    if (!given.serviceAllowed && !approved.has('service'))
      reasons.push('未被许可的服务还尚未被允许');
    if (given.outputExists && !approved.has('overwrite'))
      reasons.push('试图覆盖已有内容但是尚未被允许');
  }
  if (given.hookAsks && !approved.has('hook')) reasons.push('一个钩子要求先问人：gate: sure?');
  if (given.outcomeUnknown && !approved.has('repeat'))
    reasons.push('上次执行没有留下结果，可能已经生效；再次执行需要批准');
  return { action: reasons.length > 0 ? 'ask' : 'allow', reasons };
}

const inChinese = ({ action, reasons }: Decision) => ({
  action,
  reasons: reasons.map(({ zh }) => zh),
});

const allThree = { outsideAllowedArea: true, serviceAllowed: false, outputExists: true };

describe('the rules of the design', () => {
  it('hold for every combination of facts, circumstances and approvals', () => {
    let cases = 0;
    const wrong: unknown[] = [];
    for (const given of everyCase()) {
      cases += 1;
      const decision = inChinese(evaluate(factsOf(given), authorizationOf([...given.approved])));
      if (JSON.stringify(decision) !== JSON.stringify(expected(given)))
        wrong.push({ given, decision });
    }
    expect(cases).toBe(5 * 2 ** 6 * 2 ** 6);
    expect(wrong).toEqual([]);
  });

  it('all three conditions of a picture at once: three reasons, in order', () => {
    const decision = evaluate({ ...plain, ...allThree }, NO_AUTHORIZATION);
    expect(decision.action).toBe('ask');
    expect(decision.reasons).toEqual([
      {
        code: 'outside_not_approved',
        source: 'rule',
        approval: 'outside',
        zh: '访问允许区域之外的图片目标尚未获批',
        en: expect.stringMatching(/outside the allowed area/u),
      },
      {
        code: 'service_not_approved',
        source: 'rule',
        approval: 'service',
        zh: '未被许可的服务还尚未被允许',
        en: expect.stringMatching(/service/u),
      },
      {
        code: 'overwrite_not_approved',
        source: 'rule',
        approval: 'overwrite',
        zh: '试图覆盖已有内容但是尚未被允许',
        en: expect.stringMatching(/overwrite/u),
      },
    ]);
  });

  it.each([
    ['outside', ['service_not_approved', 'overwrite_not_approved']],
    ['service', ['outside_not_approved', 'overwrite_not_approved']],
    ['overwrite', ['outside_not_approved', 'service_not_approved']],
  ] as const)('approving %s removes only its own reason', (approval, left) => {
    const decision = evaluate({ ...plain, ...allThree }, authorizationOf([approval]));
    expect(decision.action).toBe('ask');
    expect(codes(decision)).toEqual(left);
  });

  it('private beats knowledge_search, and no approval lifts it', () => {
    const facts = { ...plain, toolName: 'knowledge_search', touchesPrivate: true };
    for (const approvals of approvalSets) {
      const decision = evaluate(facts, authorizationOf(approvals));
      expect(decision.action).toBe('deny');
      expect(codes(decision)).toEqual(['touches_private']);
    }
  });

  it('private beats a policy that allows', () => {
    const facts = { ...plain, toolName: 'note', touchesPrivate: true };
    expect(codes(evaluate(facts, NO_AUTHORIZATION, { note: 'allow' }))).toEqual([
      'touches_private',
    ]);
  });

  it('echo is registered and not covered; one line covers it', () => {
    const facts = { ...plain, toolName: 'echo' };
    const denied = evaluate(facts, authorizationOf(APPROVALS));
    expect(inChinese(denied)).toEqual({ action: 'deny', reasons: ['未定义该工具'] });
    const covered: Policies = { ...DEFAULT_POLICIES, echo: 'allow' };
    expect(evaluate(facts, NO_AUTHORIZATION, covered)).toEqual({ action: 'allow', reasons: [] });
  });

  it('several hooks that ask give a reason each, behind those of the policy', () => {
    const hookQuestions = ['first', 'second'].map((source) => ({ source, text: 'why' }));
    const facts = { ...plain, outputExists: true, hookQuestions, outcomeUnknown: true } as never;
    expect(evaluate(facts, NO_AUTHORIZATION).reasons.map(({ en }) => en)).toEqual([
      expect.stringMatching(/overwrite/u),
      'A hook wants a person to decide: first: why',
      'A hook wants a person to decide: second: why',
      expect.stringMatching(/left no result/u),
    ]);
  });
});

describe('total and closed', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', ''])(
    'a tool named "%s" is not covered',
    (toolName) => {
      const decision = evaluate({ ...plain, toolName }, authorizationOf(APPROVALS));
      expect(decision.action).toBe('deny');
      expect(codes(decision)).toEqual(['tool_not_covered']);
    },
  );

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a word nobody knows', 'allowed'],
    ['yes', true],
    ['a list', ['allow']],
    ['an object without rules', {}],
    ['rules that are none', { rules: 'allow' }],
    ['a rule that is none', { rules: [null] }],
    ['a rule without conditions', { rules: [{ action: 'deny' }] }],
    [
      'an action nobody knows',
      {
        rules: [
          { when: [], action: 'block', approval: null, reason: { code: 'a', zh: 'a', en: 'a' } },
        ],
      },
    ],
    [
      'a rule without an approval',
      { rules: [{ when: [], action: 'ask', reason: { code: 'a', zh: 'a', en: 'a' } }] },
    ],
    ['a rule without a reason', { rules: [{ when: [], action: 'deny', approval: null }] }],
    [
      'a condition that is none',
      {
        rules: [
          { when: [null], action: 'ask', approval: 'use', reason: { code: 'a', zh: 'a', en: 'a' } },
        ],
      },
    ],
  ])('a policy that is %s covers nothing', (_, policy) => {
    const policies = { image_scaling: policy } as unknown as Policies;
    const decision = evaluate(plain, authorizationOf(APPROVALS), policies);
    expect(decision.action).toBe('deny');
    expect(codes(decision)).toEqual(['tool_not_covered']);
  });

  it('only true is an approval', () => {
    const facts = { ...plain, outputExists: true };
    for (const yes of ['yes', 1, {}, [true], 'true']) {
      const claimed = { ...NO_AUTHORIZATION, overwriteApproved: yes } as unknown as Authorization;
      expect(evaluate(facts, claimed).action).toBe('ask');
    }
    expect(evaluate(facts, {} as Authorization).action).toBe('ask');
  });

  it('approvals nobody knows approve nothing', () => {
    expect(authorizationOf(['everything', 'constructor'] as never)).toEqual(NO_AUTHORIZATION);
  });

  it('the same question has the same answer, and changes nothing', () => {
    const facts = Object.freeze({ ...plain, ...allThree });
    const policies = Object.freeze({ ...DEFAULT_POLICIES });
    const first = evaluate(facts, NO_AUTHORIZATION, policies);
    expect(evaluate(facts, NO_AUTHORIZATION, policies)).toEqual(first);
  });
});
