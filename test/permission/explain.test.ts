import { describe, expect, it } from 'vitest';
import {
  authorizationOf,
  evaluate,
  explain,
  NO_AUTHORIZATION,
} from '../../machines/permission/evaluate.ts';
import type { Policies } from '../../machines/permission/policies.ts';
import type { Approval } from '../../machines/permission/reasons.ts';
import { everyCase, factsOf, plain } from './cases.ts';

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
