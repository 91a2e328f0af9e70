import { createAgent, createDefaultTools, type Question } from 'agenthub';
import { denialOf, grantOf, questionsOf, restOf } from 'agenthub/machine';
import { offlineModel } from 'agenthub/offline';
import { assign, createActor, sendTo, setup, toPromise, waitFor } from 'xstate';

const agent = createAgent({
  model: offlineModel(),
  tools: createDefaultTools({ workingFolder: '.', knowledgeFolder: 'knowledge' }),
  permissions: { policies: { echo: 'ask' } },
});

const ticket = setup({
  types: {
    context: {} as { questions: readonly Question[]; answer: string | null },
    events: {} as
      | { type: 'approve'; question: Question; by: string }
      | { type: 'deny'; question: Question; by: string; reason: string }
      | { type: 'stop'; by: string },
    output: {} as string | null,
  },
  actors: { agent: agent.machine },
}).createMachine({
  id: 'ticket',
  context: { questions: [], answer: null },
  initial: 'answering',
  states: {
    answering: {
      invoke: {
        id: 'agent',
        src: 'agent',
        input: () => agent.input('Echo "hello"'),
        onSnapshot: [
          // A suspended run is not done: it waits for run.resume or run.cancel.
          {
            guard: ({ event }) => restOf(event.snapshot)?.status === 'suspended',
            target: 'forPeople',
          },
          { actions: assign({ questions: ({ event }) => questionsOf(event.snapshot) }) },
        ],
        onDone: {
          target: 'answered',
          actions: assign({
            answer: ({ event: { output } }) => (output.status === 'done' ? output.answer : null),
          }),
        },
        onError: { target: 'forPeople' },
      },
      on: {
        approve: {
          actions: sendTo('agent', ({ event: { question, by } }) =>
            grantOf(question, { by, at: Date.now() }),
          ),
        },
        deny: {
          actions: sendTo('agent', ({ event: { question, by, reason } }) =>
            denialOf(question, { by, at: Date.now(), reason }),
          ),
        },
        stop: {
          actions: sendTo('agent', ({ event: { by } }) => ({
            type: 'run.cancel',
            by,
            at: Date.now(),
          })),
        },
      },
    },
    answered: { type: 'final' },
    forPeople: { type: 'final' },
  },
  output: ({ context }) => context.answer,
});

const actor = createActor(ticket).start();
const { context } = await waitFor(actor, ({ context }) => context.questions.length > 0);
for (const question of context.questions) {
  console.log(question.tool, question.reasons[0]?.en, question.missing);
  actor.send({ type: 'approve', question, by: 'Ms Wang' });
}
console.log(await toPromise(actor));
