import { createAgent, createDefaultTools, offlineModel } from 'agenthub';

const agent = createAgent({
  model: offlineModel(), // or openaiModel({ preset: 'glm', model: 'glm-4.6', apiKey })
  tools: createDefaultTools({ workingFolder: '.', knowledgeFolder: 'knowledge' }),
  permissions: { policies: { echo: 'ask' } },
});

const run = agent.start('Echo "hello"');
for await (const event of run) {
  if (event.type === 'state') console.log('→', event.state);
  if (event.type !== 'permission.requested') continue;
  for (const { callId, tool, input, reasons } of event.questions) {
    console.log(`${tool} ${JSON.stringify(input)}: ${reasons[0]?.en}`);
    run.approve(callId); // or run.deny(callId, 'why not')
  }
}
const outcome = await run.outcome;
console.log(outcome.status === 'done' ? outcome.answer : outcome);
