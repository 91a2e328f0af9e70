import { describe, expect, it } from 'vitest';
import type { Call } from '../../machines/agent/agent.types.ts';
import {
  DEFAULT_POLICIES,
  type Policies,
  type Policy,
} from '../../machines/permission/policies.ts';
import { APPROVALS } from '../../machines/permission/reasons.ts';
import { checkProperties } from '../../src/testing/check-properties.ts';
import { COMES_TO_REST, INVARIANTS } from '../../src/testing/invariants/index.ts';
import { granted, onlyAfter, starts } from '../../src/testing/properties.ts';
import { verify } from '../../src/testing/verify.ts';
import { callOf, hostWorlds } from '../../src/testing/world/host-worlds.ts';

const reason = { code: 'large', zh: '数额大', en: 'It is large' };

/** Verifies that `pay` never starts unapproved, under a policy for it; or only where it matters. */
function payNeedsApproval(policy: Policy, where: (call: Call) => boolean = () => true) {
  const worlds = hostWorlds({
    policies: { ...DEFAULT_POLICIES, pay: policy },
    hooks: [],
    calls: [callOf('pay')],
    callsPerReply: 1,
  });
  const tool = 'pay';
  const asked = onlyAfter('asked', starts({ tool, where }), granted({ tool, approval: 'use' }));
  return verify({ worlds, properties: [asked] });
}

const resultOf = (result: Awaited<ReturnType<typeof payNeedsApproval>>, id: string) =>
  result.worlds.flatMap(({ results }) => results.filter((one) => one.id === id));

const isForeign = ({ facts }: Call) => facts?.serviceAllowed === false;

describe('the worlds of a host', () => {
  it.each<[string, Policy]>([
    ['asks always', 'ask'],
    ['asks by a rule', { rules: [{ when: [], action: 'ask', approval: 'use', reason }] }],
  ])('find nothing wrong with a policy that %s', async (_, policy) => {
    const result = await payNeedsApproval(policy);
    expect(resultOf(result, 'asked')[0]?.counterexample).toBeNull();
    expect(result.holds).toBe(true);
  });

  it.each<[string, Policy, string]>([
    [
      'a fact of its own, above a number',
      {
        rules: [{ when: [{ fact: 'amount', above: 500 }], action: 'ask', approval: 'use', reason }],
      },
      'amount 500',
    ],
    [
      'a fact of its own, being something',
      {
        rules: [{ when: [{ fact: 'kind', is: 'gift' }], action: 'ask', approval: 'use', reason }],
      },
      'kind "something else"',
    ],
    [
      'two facts that the shipped worlds have only together',
      {
        rules: [
          {
            when: [
              { fact: 'serviceAllowed', is: false },
              { fact: 'outsideAllowedArea', is: true },
            ],
            action: 'ask',
            approval: 'use',
            reason,
          },
        ],
      },
      'serviceAllowed false, outsideAllowedArea false',
    ],
  ])('see the path on which a rule does not ask: about %s', async (_, policy, facts) => {
    const where = facts.startsWith('serviceAllowed') ? isForeign : undefined;
    const result = await payNeedsApproval(policy, where);
    const [asked] = resultOf(result, 'asked');
    const labels = asked?.counterexample?.path.map(({ label }) => label) ?? [];
    expect(labels.some((label) => label.includes(facts))).toBe(true);
    expect(result.holds).toBe(false);
  });
});

it('a world of two turns holds: calls that all end at once come back to the model too', () => {
  const policies = { ...DEFAULT_POLICIES, pay: 'ask' } as const;
  const calls = [callOf('pay')];
  const [one] = hostWorlds({ policies, hooks: [], calls, callsPerReply: 1 });
  if (one === undefined) throw new Error('there is no world');
  const world = { ...one.world, limits: { ...one.world.limits, turns: 2 } };
  const { results } = checkProperties(world, [...INVARIANTS, COMES_TO_REST]);
  expect(results.filter(({ counterexample }) => counterexample !== null)).toEqual([]);
});

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
