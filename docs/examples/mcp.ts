import { fileURLToPath } from 'node:url';
import { createAgent } from 'agenthub';
import { connectMcp } from 'agenthub/mcp';
import { scriptedModel } from 'agenthub/testing';

const script = fileURLToPath(new URL('mcp-server.ts', import.meta.url));
const calls = [
  { name: 'stock__count', arguments: { item: 'tea' } },
  { name: 'stock__remove', arguments: { item: 'tea', amount: 2 } },
];
const model = scriptedModel([{ calls }, 'Two packets of tea were taken from stock.']);

// #region
const mcp = await connectMcp({
  stock: { command: process.execPath, args: ['--import', 'tsx', script] },
  // web: { url: 'https://mcp.example/mcp', headers: { authorization: `Bearer ${token}` } },
});
try {
  const agent = createAgent({
    model,
    tools: mcp.tools,
    permissions: { policies: { stock__count: 'allow', stock__remove: 'ask' } },
  });
  const run = agent.start('Take two packets of tea from stock');
  for await (const event of run) {
    if (event.type !== 'permission.requested') continue;
    for (const question of event.questions) {
      console.log(`${question.tool} ${JSON.stringify(question.input)}?`);
      run.approve(question, { by: 'ada' });
    }
  }
  for (const step of run.trace) if (step.kind === 'tool') console.log(step.outcome, step.content);
} finally {
  await mcp.close();
}
// #endregion
