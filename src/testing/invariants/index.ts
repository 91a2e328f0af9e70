import { stateOf } from '../../../machines/agent/agent.view.ts';
import { eventually, type Property } from '../properties.ts';
import * as actors from './actors.ts';
import * as calls from './calls.ts';
import * as counters from './counters.ts';
import * as hooks from './hooks.ts';
import * as questions from './questions.ts';
import * as rests from './rests.ts';
import * as starts from './starts.ts';

/** The invariants of the design, on every edge. */
export const INVARIANTS: readonly Property[] = [
  starts.gate,
  starts.repeat,
  actors.actors,
  calls.reply,
  hooks.hooksRun,
  counters.limits,
  questions.questions,
  calls.settled,
  questions.grants,
  hooks.preHook,
  hooks.promptHook,
  hooks.postHook,
  hooks.hookWords,
  rests.ends,
  rests.failures,
  rests.orders,
  questions.answers,
  hooks.stopHook,
  calls.observations,
  calls.denied,
  calls.prompt,
  counters.progress,
  counters.counters,
  rests.cancel,
  questions.stray,
  calls.siblings,
  starts.input,
  starts.notStarted,
  starts.spent,
  starts.setbacks,
  rests.reason,
  actors.noThrow,
  actors.alive,
];

/** Left alone, no run goes on for ever. */
export const COMES_TO_REST: Property = eventually(
  'rest',
  'a run that is left alone comes to rest, or waits for a person',
  (snapshot) => snapshot.context.rest !== null || stateOf(snapshot) === 'awaitPermission.asking',
);
