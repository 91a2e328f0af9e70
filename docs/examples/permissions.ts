import { createAgent, defineTool, type Policies } from 'agenthub';
import { scriptedModel } from 'agenthub/testing';
import { z } from 'zod';

// #region
const refund = defineTool({
  name: 'refund',
  description: { zh: '退款', en: 'Pays money back.' },
  input: z.strictObject({ order: z.string(), amount: z.number().positive() }),
  // Facts are looked up by your code, before the decision; the model cannot set them.
  inspectFacts: async ({ amount }) => ({ amount }),
  execute: async ({ order, amount }) => `paid ${amount} back for ${order}`,
});
const policies: Policies = {
  refund: {
    rules: [
      {
        when: [{ fact: 'amount', above: 100 }],
        action: 'ask',
        approval: 'use',
        reason: { code: 'large_refund', zh: '金额超过 100', en: 'The amount is above 100' },
      },
    ],
  },
};
// #endregion

const call = { name: 'refund', arguments: { order: 'A-1', amount: 250 } };
const model = scriptedModel([{ calls: [call] }, 'done']);
const run = createAgent({ model, tools: [refund], permissions: { policies } }).start('refund A-1');
for await (const event of run) {
  if (event.type !== 'permission.requested') continue;
  for (const question of event.questions) {
    const { reasons, missing } = question;
    console.log(
      reasons.map(({ en }) => en),
      missing,
    );
    run.approve(question, { by: 'Ms Wang' });
  }
}
for (const step of run.trace) if (step.kind === 'tool') console.log(step.outcome, step.content);
