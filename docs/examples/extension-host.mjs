import { createAgent, openaiModel } from 'agenthub';
import { sqliteStore } from 'agenthub/sqlite';
import { hooks, policies, tools } from './extension.mjs';

const { MODEL_URL, STORE = '.agenthub/runs.db' } = process.env;
const store = sqliteStore({ path: STORE });
const agent = createAgent({
  model: openaiModel({ preset: 'openai', model: 'm', baseURL: MODEL_URL }),
  permissions: { policies },
  tools,
  hooks,
  store,
});

// The program asks nobody: it leaves the question to people at the command line.
const run = agent.start('Cancel order A-2');
for await (const event of run) {
  if (event.type !== 'permission.requested') continue;
  await run.saved();
  await run.close();
}
console.log(run.id, (await run.outcome).status);
await store.close();
