import { defineHook, defineTool } from 'agenthub';
import { granted, onlyAfter, starts } from 'agenthub/testing';
import { z } from 'zod';

// #region
/** Stands for the shop's own system: what was paid for an order. */
const PAID = new Map([
  ['A-1', 40],
  ['A-2', 900],
]);

const cancelOrder = defineTool({
  name: 'cancel_order',
  description: { zh: '取消订单并退款', en: 'Cancels an order and pays back what was paid.' },
  input: z.strictObject({ order: z.string() }),
  // Looked up by this code, before the decision; the model cannot set it.
  inspectFacts: async ({ order }) => ({ paid: PAID.get(order) ?? 0 }),
  execute: async ({ order }, { facts }) => `order ${order} cancelled, ${facts.paid} paid back`,
});

export const tools = [cancelOrder];

export const policies = {
  cancel_order: {
    rules: [
      {
        when: [{ fact: 'paid', above: 100 }],
        action: 'ask',
        approval: 'use',
        reason: { code: 'much_paid', zh: '要退的超过 100', en: 'More than 100 would be paid back' },
      },
    ],
  },
};

export const hooks = [
  defineHook({
    name: 'known-orders',
    event: 'PreToolUse',
    matcher: 'cancel_order',
    run: ({ input }) =>
      PAID.has(input.order)
        ? { decision: 'proceed' }
        : { decision: 'block', reason: `there is no order ${input.order}` },
  }),
];

/** The agent has these tools and hooks and no others, as in extension-host.mjs. */
export const shipped = false;
// #endregion

const isMuch = {
  tool: 'cancel_order',
  text: 'of an order for more than 100',
  where: ({ facts }) => facts !== null && facts.paid > 100,
};

/** What must hold on every path: `agenthub verify --extension extension.mjs`. */
export const properties = [
  onlyAfter('paid back', starts(isMuch), granted({ ...isMuch, approval: 'use' })),
];
