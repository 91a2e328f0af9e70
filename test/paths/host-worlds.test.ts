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
import { granted, never, onlyAfter, starts } from '../../src/testing/properties.ts';
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

/** So many rules that ask, each about a fact of its own. */
const rulesAbout = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...rule('use'),
    when: [{ fact: `fact${index}`, above: 100 }],
  }));

/** The world with two calls per reply, for a tool under these rules. */
function twoCalls(rules: Exclude<Policy, string>['rules']) {
  const policies = { refund: { rules } };
  const [, two] = hostWorlds({ policies, hooks: [], calls: [callOf('refund')] });
  if (two === undefined) throw new Error('there is no such world');
  return two.world;
}

describe('with two calls per reply, the facts that the rules tell apart stay few', () => {
  const forbids = { ...rule('use'), action: 'deny' as const, approval: null };

  it('a start that a rule lets through is seen there too', () => {
    const policies = { refund: { rules: [forbids] } };
    const property = never('refund never starts', starts({ tool: 'refund' }));
    const worlds = hostWorlds({ policies, hooks: [], calls: [callOf('refund')] });
    const found = worlds.map(({ name, world }) => {
      const [result] = checkProperties(world, [property]).results;
      return [name, result?.counterexample?.problem];
    });
    expect(found).toEqual([
      ['one call per reply', 'the start of refund (1.0)'],
      ['two calls per reply', 'the start of refund (1.0)'],
    ]);
  });

  it('each rule has facts on which it matches, alone where it can, and one has none that do', () => {
    const both = { ...forbids, when: [...forbids.when, { fact: 'country', is: 'abroad' }] };
    const [call] = twoCalls([rule('use'), both]).calls;
    expect(call?.facts?.map(({ name }) => name)).toEqual([
      'amount 100, country "abroad"',
      'amount 101, country "something else"',
      'amount 101, country "abroad"',
    ]);
  });

  it.each([
    { count: 1, variants: 2, states: 162, edges: 1255 },
    { count: 2, variants: 3, states: 292, edges: 3014 },
    { count: 4, variants: 5, states: 648, edges: 11_398 },
  ])('$count rules about as many facts: $states states', ({ count, variants, ...space }) => {
    const world = twoCalls(rulesAbout(count));
    expect(world.calls[0]?.facts).toHaveLength(variants);
    expect(checkProperties(world, [])).toMatchObject(space);
  });

  it('a tool under a shipped policy, and a call that says its facts, stay as they are', () => {
    const facts = [{ name: 'large', facts: { amount: 500 } }];
    const calls = [callOf('image_scaling'), callOf('refund', { facts })];
    const policies = { ...DEFAULT_POLICIES, refund: { rules: [forbids] } };
    const [, two] = hostWorlds({ policies, hooks: [], calls });
    expect(two?.world.calls).toEqual(calls);
  });
});
