import { DEFAULT_POLICIES, defineTool, type Policies, type Tool } from 'agenthub';
import {
  callOf,
  granted,
  hostWorlds,
  onlyAfter,
  recordFacts,
  starts,
  verify,
} from 'agenthub/testing';
import { z } from 'zod';

interface Payout {
  readonly amounts: readonly number[];
}

export const payout = defineTool<Payout>({
  name: 'payout',
  description: { zh: '付款', en: 'Pays several amounts.' },
  input: z.strictObject({ amounts: z.array(z.number().positive()) }),
  inspectFacts: async ({ amounts }) => ({ total: amounts.reduce((sum, one) => sum + one, 0) }),
  execute: async ({ amounts }) => `paid ${amounts.length} times`,
});

const policies: Policies = {
  ...DEFAULT_POLICIES,
  payout: {
    rules: [
      {
        when: [{ fact: 'total', above: 500 }],
        action: 'ask',
        approval: 'use',
        reason: { code: 'large', zh: '总额超过 500', en: 'The total is above 500' },
      },
    ],
  },
};

const isLarge = {
  tool: 'payout',
  text: 'of more than 500 in all',
  where: ({ input }: { input: unknown }) =>
    (input as Payout).amounts.reduce((sum, one) => sum + one, 0) > 500,
};

/** Verifies that large sums wait for a person, with what the tool itself says of its input. */
export async function verifyPayouts(tool: Tool<Payout> = payout) {
  const calls = [
    callOf('payout', { input: { amounts: [500] } }),
    callOf('payout', { input: { amounts: [300, 300] } }),
  ];
  const worlds = hostWorlds({
    policies,
    hooks: [],
    calls: await recordFacts(calls, [tool]),
    callsPerReply: 1,
  });
  const large = onlyAfter('large', starts(isLarge), granted({ ...isLarge, approval: 'use' }));
  return verify({ worlds, properties: [large] });
}
