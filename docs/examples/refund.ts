import { defineHook, defineTool, type Policies } from 'agenthub';
import { z } from 'zod';

export const refund = defineTool({
  name: 'refund',
  description: { zh: '退款', en: 'Pays money back to a customer.' },
  input: z.strictObject({ order: z.string(), amount: z.number().positive() }),
  execute: async ({ order, amount }) => `refunded ${amount} for ${order}`,
});

/** No refunds above 500 without approval. */
export const largeRefunds = defineHook({
  name: 'large-refunds',
  event: 'PreToolUse',
  matcher: 'refund',
  run: ({ input }) =>
    (input as { amount: number }).amount > 500
      ? { decision: 'ask', reason: 'a refund above 500' }
      : { decision: 'proceed' },
});

export const policies: Policies = { refund: 'allow' };
