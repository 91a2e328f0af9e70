import { createAgent, createDefaultTools } from 'agenthub';
import { offlineModel } from 'agenthub/offline';

const agent = createAgent({
  model: offlineModel(), // or openaiModel({ preset: 'glm', model: 'glm-4.6', apiKey })
  tools: createDefaultTools({ workingFolder: '.', knowledgeFolder: 'knowledge' }),
  permissions: { policies: { echo: 'ask' } },
});

const run = agent.start('Echo "hello"');
for await (const event of run) {
  if (event.type === 'state') console.log('→', event.state);
  if (event.type !== 'permission.requested') continue;
  for (const question of event.questions) {
    const { tool, input, reasons } = question;
    console.log(`${tool} ${JSON.stringify(input)}: ${reasons[0]?.en}`);
    run.approve(question, { by: 'ada' }); // or run.deny(question, 'why not')
  }
}
const outcome = await run.outcome;
console.log(outcome.status === 'done' ? outcome.answer : outcome);
