import type { AgentSnapshot } from '../../machines/agent/agent.machine.ts';
import type { Rest } from '../../machines/agent/agent.types.ts';
import { reportUsage, todosOf } from '../../machines/agent/agent.view.ts';
import type { ErrorData } from '../../machines/vocabulary/errors.ts';
import { frozenHistory } from '../hooks/frozen-copy.ts';
import type { RunLeavings } from './run.types.ts';

/** What the chart itself came to. */
export type RestedOutcome = Rest & RunLeavings;

/** How a run that rests came to it. */
export function outcomeOf(snapshot: AgentSnapshot): RestedOutcome {
  const error = { code: 'engine_error', message: 'The run stopped without saying how.' };
  const rest = snapshot.context.rest ?? { status: 'failed', error };
  return { ...rest, ...leavingsOf(snapshot) };
}

/** What a run leaves as it stands. */
export function leavingsOf(snapshot: AgentSnapshot): RunLeavings {
  const { runId, usage, messages } = snapshot.context;
  return {
    ...{ runId, usage: reportUsage(usage), todos: todosOf(snapshot) },
    // Copies: a suspended run goes on from its own.
    messages: frozenHistory(messages),
  };
}

/** The same run, failed of something outside the chart. */
export function failed(outcome: RestedOutcome, error: ErrorData): RestedOutcome {
  const { runId, usage, todos, messages } = outcome;
  return { status: 'failed', error, runId, usage, todos, messages };
}
