import { describe, expect, it } from 'vitest';
import {
  authorizationOf,
  evaluate,
  type Facts,
  NO_AUTHORIZATION,
} from '../../machines/permission/evaluate.ts';
import type { Policies, Rule } from '../../machines/permission/policies.ts';
import { APPROVALS, type Approval } from '../../machines/permission/reasons.ts';
import { codes, plain } from './cases.ts';

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
