import { createAgent, createDefaultTools, openRuns } from 'agenthub';
import { offlineModel } from 'agenthub/offline';
import { sqliteStore } from 'agenthub/sqlite';

const store = sqliteStore({ path: process.env.STORE ?? '.agenthub/runs.db' });
const agent = createAgent({
  model: offlineModel(),
  tools: createDefaultTools({ workingFolder: '.', knowledgeFolder: 'knowledge' }),
  permissions: { policies: { echo: 'ask' } },
  store,
});

// One process asks, and leaves.
const run = agent.start('Echo "hello"');
for await (const event of run) {
  if (event.type !== 'permission.requested') continue;
  await run.saved(); // on record …
  await run.close(); // … and let go of
}

// Tomorrow, any process answers.
const runs = openRuns(store);
for (const question of (await runs.show(run.id)).questions)
  await runs.approve(run.id, question, { by: 'ada' });

// Any process with the same policies and hooks goes on; answers that wait come first.
const restored = await agent.restore(run.id);
const outcome = await restored.outcome;
console.log(outcome.status === 'done' ? outcome.answer : outcome);
console.log((await runs.why(run.id, '1.0')).decidedBy);
await store.close();
