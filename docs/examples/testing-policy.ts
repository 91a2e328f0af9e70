import assert from 'node:assert/strict';
import test from 'node:test';
import type { Policies } from 'agenthub';
import { authorizationOf, evaluate, type Facts, NO_AUTHORIZATION } from 'agenthub/permission';

const policies: Policies = {
  refund: {
    rules: [
      {
        when: [{ fact: 'amount', above: 100 }],
        action: 'ask',
        approval: 'use',
        reason: { code: 'large_refund', zh: '金额超过 100', en: 'The amount is above 100' },
      },
      {
        when: [{ fact: 'blocked', is: true }],
        action: 'deny',
        approval: null,
        reason: { code: 'blocked', zh: '客户被冻结', en: 'The customer is blocked' },
      },
    ],
  },
};

/** Facts as the engine completes them, with those that `inspectFacts` adds. */
const facts = (own: { amount?: number; blocked?: boolean }): Facts => ({
  toolName: 'refund',
  touchesPrivate: false,
  outsideAllowedArea: false,
  serviceAllowed: true,
  outputExists: false,
  identity: null,
  ...own,
});

test('100 is allowed, 101 is asked about', () => {
  const action = (amount: number) =>
    evaluate(facts({ amount, blocked: false }), NO_AUTHORIZATION, policies).action;
  assert.equal(action(100), 'allow');
  assert.equal(action(101), 'ask');
});

test('an approval lifts the question, and nothing else', () => {
  const approved = authorizationOf(['use']);
  assert.equal(
    evaluate(facts({ amount: 500, blocked: false }), approved, policies).action,
    'allow',
  );
  const decision = evaluate(facts({ amount: 500, blocked: true }), approved, policies);
  assert.equal(decision.action, 'deny');
  assert.deepEqual(
    decision.reasons.map(({ code }) => code),
    ['blocked'],
  );
});

test('a fact that nobody looked up counts against the call', () => {
  assert.equal(evaluate(facts({ blocked: false }), NO_AUTHORIZATION, policies).action, 'ask');
  assert.equal(evaluate(facts({ amount: 1 }), NO_AUTHORIZATION, policies).action, 'deny');
});
