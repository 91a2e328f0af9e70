import { createAgent, createDefaultTools, defineTool, type Policies } from 'agenthub';
import { offlineModel } from 'agenthub/offline';
import { evaluate, NO_AUTHORIZATION } from 'agenthub/permission';
import { z } from 'zod';

// #region
const COUNTRIES: Readonly<Record<string, string>> = { 'A-1': 'home', 'A-2': 'abroad' };

const refund = defineTool({
  name: 'refund',
  description: { zh: '退款', en: 'Pays money back.' },
  input: z.strictObject({ order: z.string(), amount: z.number().positive() }),
  // Facts for the rules, from what you know; the model's words are only what is looked up.
  inspectFacts: async ({ order, amount }) => ({ amount, country: COUNTRIES[order] ?? 'unknown' }),
  execute: async ({ order, amount }) => `paid ${amount} back for ${order}`,
});

const policies: Policies = {
  echo: 'allow', // always
  image_scaling: 'ask', // each use needs the approval `use`; replaces the shipped rules
  todo_write: 'deny', // never
  refund: {
    rules: [
      {
        // Both must hold.
        when: [
          { fact: 'amount', above: 100 },
          { fact: 'country', is: 'abroad' },
        ],
        action: 'ask',
        approval: 'use',
        reason: { code: 'large_abroad', zh: '国外的大额退款', en: 'A large refund abroad' },
      },
      {
        when: [{ fact: 'amount', above: 1000 }],
        action: 'deny',
        approval: null, // nothing lifts it
        reason: { code: 'too_large', zh: '超过 1000', en: 'More than 1000' },
      },
    ],
  },
};

const agent = createAgent({
  model: offlineModel(),
  tools: [...createDefaultTools({ workingFolder: '.', knowledgeFolder: 'knowledge' }), refund],
  permissions: { policies },
});
// #endregion

for (const [order, amount] of [
  ['A-1', 500],
  ['A-2', 100],
  ['A-2', 500],
  ['A-2', 5000],
] as const) {
  const found = await refund.inspectFacts(
    { order, amount },
    { signal: new AbortController().signal },
  );
  const { action, reasons } = evaluate(
    {
      toolName: 'refund',
      touchesPrivate: false,
      outsideAllowedArea: false,
      serviceAllowed: true,
      outputExists: false,
      identity: null,
      ...found,
    } as Parameters<typeof evaluate>[0],
    NO_AUTHORIZATION,
    agent.policies,
  );
  console.log(order, amount, action, reasons.map(({ code }) => code).join());
}
