import { setTimeout as sleep } from 'node:timers/promises';
import { createAgent, createDefaultTools, openRuns } from 'agenthub';
import { offlineModel } from 'agenthub/offline';
import { sqliteStore } from 'agenthub/sqlite';
import { createActor, fromPromise, setup, toPromise } from 'xstate';

// #region
const store = sqliteStore({ path: process.env.STORE ?? '.agenthub/runs.db' });
const agent = createAgent({
  model: offlineModel(),
  tools: createDefaultTools({ workingFolder: '.', knowledgeFolder: 'knowledge' }),
  permissions: { policies: { echo: 'ask' } },
  store,
});

/** Drives a stored run to its rest: a new one, or the one that an earlier process began. */
const storedRun = fromPromise(
  async ({ input, signal }: { input: { runId: string; prompt: string }; signal: AbortSignal }) => {
    const { runId, prompt } = input;
    const isKnown = (await store.list({ search: runId })).some((found) => found.runId === runId);
    const run = isKnown ? await agent.restore(runId) : agent.start(prompt, { runId });
    // The parent left the state: let go of the run, so that it can be restored later.
    signal.addEventListener('abort', () => void run.close(), { once: true });
    return run.outcome;
  },
);

const ticket = setup({ actors: { storedRun } }).createMachine({
  id: 'ticket',
  initial: 'answering',
  states: {
    answering: {
      invoke: {
        src: 'storedRun',
        input: { runId: 'ticket-7', prompt: 'Echo "hello"' },
        onDone: [
          { guard: ({ event }) => event.output.status === 'done', target: 'answered' },
          { target: 'forPeople' },
        ],
        onError: { target: 'forPeople' },
      },
    },
    answered: { type: 'final' },
    forPeople: { type: 'final' },
  },
});

// #endregion

const actor = createActor(ticket).start();

// Elsewhere: a person answers as soon as the run asks.
const runs = openRuns(store);
const asked = async () => {
  const [found] = await runs.list({ status: 'waiting' });
  return found === undefined ? [] : (await runs.show(found.runId)).questions;
};
let questions = await asked();
for (; questions.length === 0; questions = await asked()) await sleep(20);
for (const question of questions) await runs.approve('ticket-7', question, { by: 'ada' });

await toPromise(actor);
console.log(actor.getSnapshot().value);
await store.close();
