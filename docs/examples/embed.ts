import { createAgent, createDefaultTools, defineTool, offlineModel } from 'agenthub';
import { z } from 'zod';

const stock = defineTool({
  name: 'stock',
  description: { zh: '查询库存', en: 'Looks up how many of an item are in stock.' },
  input: z.strictObject({ item: z.string() }),
  execute: ({ item }) => Promise.resolve(`${item}: 12`),
});

const agent = createAgent({
  model: offlineModel(), // or openaiModel({ preset: 'glm', model: 'glm-4.6', apiKey })
  tools: [stock, ...createDefaultTools({ workingFolder: '.', knowledgeFolder: 'knowledge' })],
  permissions: { policies: { stock: 'allow' } },
  locale: 'zh',
});

const run = agent.start('七天无理由退货的运费由谁承担？');
for await (const event of run) {
  if (event.type === 'state') console.log('→', event.state);
  if (event.type !== 'permission.requested') continue;
  for (const { callId, reasons } of event.questions) run.deny(callId, reasons[0]?.zh);
}
const outcome = await run.outcome;
console.log(outcome.status === 'done' ? outcome.answer : outcome);
