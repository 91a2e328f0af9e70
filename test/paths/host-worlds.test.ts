import { describe, expect, it } from 'vitest';
import type { Policies } from '../../machines/permission/policies.ts';
import { APPROVALS } from '../../machines/permission/reasons.ts';
import { checkProperties } from '../../src/testing/check-properties.ts';
import { COMES_TO_REST, INVARIANTS } from '../../src/testing/invariants/index.ts';
import { callOf, hostWorlds } from '../../src/testing/world/host-worlds.ts';

/** The properties that a host's policies break in its worlds. */
function broken(policies: Policies): string[] {
  const facts = [{ name: 'large', facts: { amount: 500 } }];
  return hostWorlds({ policies, hooks: [], calls: [callOf('refund', { facts })] }).flatMap(
    ({ name, world }) =>
      checkProperties(world, [...INVARIANTS, COMES_TO_REST]).results.flatMap(
        ({ id, counterexample }) => (counterexample === null ? [] : [`${name}: ${id}`]),
      ),
  );
}

const rule = (approval: (typeof APPROVALS)[number]) => ({
  when: [{ fact: 'amount', above: 100 }],
  action: 'ask' as const,
  approval,
  reason: { code: `needs_${approval}`, zh: '需要批准', en: 'It needs an approval' },
});

describe("the worlds of a host's policies hold every property of the design", () => {
  it.each(['allow', 'ask', 'deny'] as const)('%s', (policy) => {
    expect(broken({ refund: policy })).toEqual([]);
  });

  it.each(APPROVALS)('a rule that asks for %s', (approval) => {
    expect(broken({ refund: { rules: [rule(approval)] } })).toEqual([]);
  });

  it('rules that ask for everything at once', () => {
    expect(broken({ refund: { rules: APPROVALS.map(rule) } })).toEqual([]);
  });

  it('no policy at all', () => {
    expect(broken({})).toEqual([]);
  });
});
