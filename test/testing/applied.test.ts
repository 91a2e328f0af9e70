import { describe, expect, it } from 'vitest';
import type { Call } from '../../machines/agent/agent.types.ts';
import { checkProperties } from '../../src/testing/check-properties.ts';
import {
  callOf,
  eventually,
  granted,
  hostWorlds,
  isIn,
  never,
  ONE_CALL_WORLD,
  onlyAfter,
  type Property,
  settles,
  starts,
  verify,
} from '../../src/testing/index.ts';

const policies = { refund: 'deny' } as const;
const worldsWith = (input: { amount?: number }) =>
  hostWorlds({ policies, hooks: [], calls: [callOf('refund', { input })], callsPerReply: 1 });

const isLarge = {
  tool: 'refund',
  where: ({ input }: Call) => (input as { amount: number }).amount > 100,
};
const noLargeRefund = never('no large refund', starts(isLarge));

describe('a property applies where some call is one it is about', () => {
  it('not to inputs that no world has: nothing was checked, so it does not hold', async () => {
    const { holds, unapplied, worlds } = await verify({
      worlds: worldsWith({}),
      properties: [noLargeRefund],
    });
    const result = worlds[0]?.results.find(({ id }) => id === 'no large refund');
    expect(result).toMatchObject({ counterexample: null, applied: false });
    expect([holds, unapplied]).toEqual([false, ['no large refund']]);
  });

  it('not to a tool that there is none of', async () => {
    const { holds, unapplied } = await verify({
      worlds: worldsWith({}),
      properties: [never('typo tool', starts({ tool: 'refnd' }))],
    });
    expect([holds, unapplied]).toEqual([false, ['typo tool']]);
  });

  it('one world is enough', async () => {
    const [small, large] = [...worldsWith({ amount: 1 }), ...worldsWith({ amount: 900 })];
    if (small === undefined || large === undefined) throw new Error('there is no world');
    const worlds = [small, { ...large, name: 'large' }];
    const result = await verify({ worlds, properties: [noLargeRefund] });
    const applied = result.worlds.map(({ results }) => results.at(-1)?.applied);
    expect([result.holds, result.unapplied, applied]).toEqual([true, [], [false, true]]);
  });

  it.each<[string, Property]>([
    ['without a filter', never('nothing starts', starts())],
    ['with an empty filter', never('nothing ends', settles({ outcome: 'ok' }))],
    ['eventually', eventually('rests', 'it rests', (run) => isIn(run, 'suspended'))],
    ['an object of one’s own', { id: 'mine', text: 'mine', violation: () => null }],
  ])('always: %s', (_, property) => {
    const [{ world } = { world: ONE_CALL_WORLD }] = worldsWith({});
    expect(checkProperties(world, [property]).results[0]?.applied).toBe(true);
  });

  it.each<[string, Property, boolean]>([
    ['settles', never('a', settles({ tool: 'refnd' })), false],
    ['granted', never('a', granted({ tool: 'refnd' })), false],
    ['the later of two', onlyAfter('a', starts({ tool: 'refnd' }), granted()), false],
    // What must come before may be misspelt: then it is broken, and not silent.
    ['the earlier of two', onlyAfter('a', starts(), granted({ tool: 'refnd' })), true],
    [
      'one’s own, with the filter of an occurrence',
      { id: 'a', text: 'a', violation: () => null, about: ({ tool }) => tool === 'refnd' },
      false,
    ],
  ])('every filter is looked at: %s', (_, property, applied) => {
    expect(checkProperties(ONE_CALL_WORLD, [property]).results[0]?.applied).toBe(applied);
  });

  it('a condition that throws on a call without facts is asked again where there are some', () => {
    const where = ({ facts }: Call) => (facts as { outputExists: boolean }).outputExists;
    const property = never('a', granted({ tool: 'image_scaling', where }));
    expect(checkProperties(ONE_CALL_WORLD, [property]).results[0]?.applied).toBe(true);
  });
});

it('the shipped ones all apply, in every world', async () => {
  const { unapplied, worlds } = await verify({ worlds: worldsWith({}) });
  expect(unapplied).toEqual([]);
  expect(worlds.every(({ results }) => results.every(({ applied }) => applied))).toBe(true);
});
