import { createAgent } from 'agenthub';
import { offlineModel } from 'agenthub/offline';
import { createActor, setup, toPromise } from 'xstate';

const agent = createAgent({ model: offlineModel(), locale: 'en' });

const ticket = setup({ actors: { agent: agent.machine } }).createMachine({
  id: 'ticket',
  initial: 'answering',
  states: {
    answering: {
      invoke: {
        src: 'agent',
        input: () => agent.input('What is the capital of France?'),
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
const actor = createActor(ticket).start();
await toPromise(actor);
console.log(actor.getSnapshot().value);
