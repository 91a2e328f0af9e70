import { describe, expect, it } from 'vitest';
import {
  type Authorization,
  authorizationOf,
  type Circumstances,
  type Decision,
  evaluate,
  explain,
  type Facts,
  NO_AUTHORIZATION,
} from '../../machines/permission/evaluate.ts';
import { DEFAULT_POLICIES, type Policies, type Rule } from '../../machines/permission/policies.ts';
import { APPROVALS, type Approval } from '../../machines/permission/reasons.ts';

// The oracle: the rules of the design, written down again by hand.

interface Case {
  readonly tool: string;
  readonly isPrivate: boolean;
  readonly isOutside: boolean;
  readonly serviceAllowed: boolean;
  readonly outputExists: boolean;
  readonly hookAsks: boolean;
  readonly outcomeUnknown: boolean;
  readonly approved: ReadonlySet<Approval>;
}

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

function factsOf(given: Omit<Case, 'approved'>): Facts & Circumstances {
  return {
    toolName: given.tool,
    touchesPrivate: given.isPrivate,
    outsideAllowedArea: given.isOutside,
    serviceAllowed: given.serviceAllowed,
    outputExists: given.outputExists,
    identity: null,
    hookQuestions: given.hookAsks ? [{ source: 'gate', text: 'sure?' }] : [],
    outcomeUnknown: given.outcomeUnknown,
  } as unknown as Facts & Circumstances;
}

/** Every combination of `count` yes-or-no values. */
function combinations(count: number): boolean[][] {
  return Array.from({ length: 2 ** count }, (_, bits) =>
    Array.from({ length: count }, (__, place) => (bits & (1 << place)) !== 0),
  );
}

const approvalSets = combinations(APPROVALS.length).map((chosen) =>
  APPROVALS.filter((_, index) => chosen[index]),
);

function* everyCase(): Generator<Case> {
  for (const tool of ['image_scaling', 'knowledge_search', 'todo_write', 'echo', 'no_such_tool'])
    for (const bits of combinations(6)) {
      const [isPrivate, isOutside, serviceAllowed, outputExists, hookAsks, outcomeUnknown] =
        bits as [boolean, boolean, boolean, boolean, boolean, boolean];
      const part = { isPrivate, isOutside, serviceAllowed, outputExists, hookAsks, outcomeUnknown };
      for (const approvals of approvalSets) yield { tool, ...part, approved: new Set(approvals) };
    }
}

const inChinese = ({ action, reasons }: Decision) => ({
  action,
  reasons: reasons.map(({ zh }) => zh),
});

const plain: Facts = {
  toolName: 'image_scaling',
  touchesPrivate: false,
  outsideAllowedArea: false,
  serviceAllowed: true,
  outputExists: false,
  identity: null,
};
const allThree = { outsideAllowedArea: true, serviceAllowed: false, outputExists: true };
const codes = ({ reasons }: Decision) => reasons.map(({ code }) => code);

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

describe('policies of a host', () => {
  const decide = (
    policy: Policies[string],
    changes: Record<string, unknown> = {},
    approvals: readonly Approval[] = [],
  ) =>
    evaluate({ ...plain, toolName: 'pay', ...changes } as Facts, authorizationOf(approvals), {
      pay: policy,
    });

  const rule = (when: Rule['when'], action: Rule['action'] = 'ask'): Policies[string] => ({
    rules: [
      {
        when,
        action,
        approval: action === 'ask' ? 'use' : null,
        reason: { code: 'large', zh: '金额大', en: 'a large sum' },
      },
    ],
  });

  it('allow, ask, deny', () => {
    expect(decide('allow')).toEqual({ action: 'allow', reasons: [] });
    expect(decide('ask')).toMatchObject({
      action: 'ask',
      reasons: [{ code: 'use_not_approved', approval: 'use' }],
    });
    expect(decide('ask', {}, ['use']).action).toBe('allow');
    expect(decide('ask', {}, ['overwrite', 'outside', 'service', 'hook', 'repeat']).action).toBe(
      'ask',
    );
    const denied = decide('deny', {}, APPROVALS);
    expect(denied).toMatchObject({
      action: 'deny',
      reasons: [{ code: 'use_forbidden', approval: null }],
    });
  });

  it.each([
    ['above', { fact: 'sum', above: 100 }, 101, true],
    ['above, at the edge', { fact: 'sum', above: 100 }, 100, false],
    ['below', { fact: 'sum', below: 100 }, 99, true],
    ['below, at the edge', { fact: 'sum', below: 100 }, 100, false],
    ['is', { fact: 'sum', is: 'all' }, 'all', true],
    ['is another', { fact: 'sum', is: 'all' }, 'some', false],
    ['is a number, not its text', { fact: 'sum', is: 1 }, '1', false],
    ['is null', { fact: 'sum', is: null }, null, true],
    ['is a list', { fact: 'sum', is: ['a', 1] }, ['a', 1], true],
    ['is an object, whatever its order', { fact: 'sum', is: { a: 1, b: 2 } }, { b: 2, a: 1 }, true],
    ['is another object', { fact: 'sum', is: { a: 1 } }, { a: 2 }, false],
    ['a text where a number is needed', { fact: 'sum', above: 100 }, '5', true],
    ['null where a number is needed', { fact: 'sum', below: 100 }, null, true],
    ['a number that is none', { fact: 'sum', above: 100 }, Number.NaN, true],
    ['a fact that is undefined', { fact: 'sum', is: 'all' }, undefined, true],
    ['a bound that is none', { fact: 'sum', above: Number.NaN }, 1, true],
    ['a comparison nobody knows', { fact: 'sum', beyond: 7 } as never, 1, true],
  ])('%s', (_, condition, sum, matches) => {
    expect(decide(rule([condition]), { sum }).action).toBe(matches ? 'ask' : 'allow');
  });

  it('a fact that nobody looked up counts against the call', () => {
    for (const condition of [
      { fact: 'sum', above: 100 },
      { fact: 'sum', below: 100 },
      { fact: 'sum', is: true },
      { fact: 'constructor', is: true },
      { fact: '__proto__', is: true },
      { fact: 'toString', above: 1 },
    ]) {
      expect(decide(rule([condition])).action).toBe('ask');
      expect(decide(rule([condition], 'deny')).action).toBe('deny');
    }
  });

  it('all conditions of a rule must hold; a rule without any always holds', () => {
    const both = rule([
      { fact: 'sum', above: 100 },
      { fact: 'currency', is: 'EUR' },
    ]);
    expect(decide(both, { sum: 101, currency: 'EUR' }).action).toBe('ask');
    expect(decide(both, { sum: 99, currency: 'EUR' }).action).toBe('allow');
    expect(decide(both, { sum: 101, currency: 'CNY' }).action).toBe('allow');
    expect(decide(rule([])).action).toBe('ask');
    expect(decide({ rules: [] }).action).toBe('allow');
  });

  it('any deny decides, with the reasons of the denials only', () => {
    const ask = (rule([]) as { rules: readonly Rule[] }).rules[0] as Rule;
    const deny: Rule = {
      when: [],
      action: 'deny',
      approval: null,
      reason: { code: 'closed', zh: '不营业', en: 'closed' },
    };
    const decision = decide({ rules: [ask, deny, ask] }, {}, ['use']);
    expect(decision.action).toBe('deny');
    expect(codes(decision)).toEqual(['closed']);
  });

  it('facts that are left out altogether close the gate', () => {
    const bare = { toolName: 'image_scaling' } as Facts;
    expect(codes(evaluate(bare, authorizationOf(APPROVALS)))).toEqual(['touches_private']);
    const open = { ...bare, touchesPrivate: false } as Facts;
    expect(codes(evaluate(open, NO_AUTHORIZATION))).toEqual([
      'outside_not_approved',
      'service_not_approved',
      'overwrite_not_approved',
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

describe('explain', () => {
  const line = (considered: ReturnType<typeof explain>) =>
    considered.map(({ rule, matched, lifted, action, reason }) => [
      rule,
      reason?.code ?? null,
      action,
      matched,
      lifted,
    ]);

  it('lists every rule, matched or not, and what lifted it', () => {
    const facts = {
      ...plain,
      outsideAllowedArea: true,
      outputExists: true,
      hookQuestions: [{ source: 'gate', text: 'sure?' }],
      outcomeUnknown: false,
    } as never;
    expect(line(explain(facts, authorizationOf(['overwrite', 'hook'])))).toEqual([
      ['engine', 'tool_not_covered', 'deny', false, false],
      ['engine', 'touches_private', 'deny', false, false],
      ['policy.rules[0]', 'outside_not_approved', 'ask', true, false],
      ['policy.rules[1]', 'service_not_approved', 'ask', false, false],
      ['policy.rules[2]', 'overwrite_not_approved', 'ask', true, true],
      ['hook:gate', 'hook_asks', 'ask', true, true],
      ['engine', 'outcome_unknown', 'ask', false, false],
    ]);
  });

  it('lists no more than what can still matter', () => {
    expect(line(explain({ ...plain, toolName: 'echo' }, NO_AUTHORIZATION))).toEqual([
      ['engine', 'tool_not_covered', 'deny', true, false],
    ]);
    expect(line(explain({ ...plain, touchesPrivate: true }, NO_AUTHORIZATION))).toEqual([
      ['engine', 'tool_not_covered', 'deny', false, false],
      ['engine', 'touches_private', 'deny', true, false],
    ]);
  });

  it('names a whole policy, and an allow has no reason', () => {
    const facts = { ...plain, toolName: 'pay' };
    const whole = (policy: Policies[string], approvals: readonly Approval[] = []) =>
      line(explain(facts, authorizationOf(approvals), { pay: policy }))[2];
    expect(whole('allow')).toEqual(['policy', null, 'allow', true, false]);
    expect(whole('ask')).toEqual(['policy', 'use_not_approved', 'ask', true, false]);
    expect(whole('ask', ['use'])).toEqual(['policy', 'use_not_approved', 'ask', true, true]);
    expect(whole('deny', ['use'])).toEqual(['policy', 'use_forbidden', 'deny', true, false]);
  });

  it('agrees with evaluate everywhere: what is matched and not lifted decides', () => {
    for (const given of everyCase()) {
      const facts = factsOf(given);
      const authorization = authorizationOf([...given.approved]);
      const holding = explain(facts, authorization).filter(
        ({ matched, lifted }) => matched && !lifted,
      );
      const strictest = ['deny', 'ask', 'allow'].find((action) =>
        holding.some((considered) => considered.action === action),
      );
      if (evaluate(facts, authorization).action !== (strictest ?? 'allow'))
        expect.fail(JSON.stringify(given));
    }
  });
});
