import type { Call } from '../../machines/agent/agent.types.ts';
import type { Outcome } from '../../machines/vocabulary/messages.ts';
import type { AgentSnapshot, WorldEvent } from './world/world.types.ts';

/** One event taken: the run before it, the event, the run after it. */
export interface Taken {
  readonly before: AgentSnapshot;
  readonly event: WorldEvent;
  readonly after: AgentSnapshot;
}

/** The calls of the current batch. */
export function callsOf(snapshot: AgentSnapshot): readonly Call[] {
  return snapshot.context.calls;
}

/** A call as it was before the event. */
export function callBefore({ before }: Taken, id: string): Call | undefined {
  return callsOf(before).find((call) => call.id === id);
}

/** The calls that the event started. */
export function startedCalls(taken: Taken): readonly Call[] {
  return callsOf(taken.after).filter(
    (call) => call.stage === 'running' && callBefore(taken, call.id)?.stage !== 'running',
  );
}

/** What a call's own tool answered in this event, or null where it answered nothing. */
export function toolOutcome({ event }: Taken, id: string): string | null {
  if (event.type !== `xstate.done.actor.tool.${id}`) return null;
  return (event.output as { outcome?: string } | undefined)?.outcome ?? null;
}

/** The call whose start turned out not to come about, or null. */
export function notStartedCall(taken: Taken): string | null {
  const call = callsOf(taken.before).find(({ id }) => toolOutcome(taken, id) === 'not_started');
  return call?.id ?? null;
}

/** What the model is told of a call, if it is in the history. */
export function observationOf(snapshot: AgentSnapshot, id: string) {
  const seen = snapshot.context.messages.findLast(
    (message) => message.role === 'observation' && message.callId === id,
  );
  return seen?.role === 'observation' ? seen : undefined;
}

/** How a call ended, or null while it has not. */
export function outcomeOf(snapshot: AgentSnapshot, id: string): Outcome | null {
  const call = callsOf(snapshot).find((candidate) => candidate.id === id);
  if (call !== undefined) return call.result?.outcome ?? null;
  return observationOf(snapshot, id)?.outcome ?? null;
}

/** The first thing that is wrong, or null. */
export function firstProblem(problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null;
}
