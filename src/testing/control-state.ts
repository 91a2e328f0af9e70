import { approvalsOf, approvedUntil } from '../../machines/agent/agent.calls.ts';
import type { AgentContext, Call } from '../../machines/agent/agent.types.ts';
import { stateOf } from '../../machines/agent/agent.view.ts';
import type { AgentSnapshot } from './world/world.types.ts';

/**
 * The control state of a run as text: all that decides what may happen next, texts of messages
 * and ids left out, so that the space is finite. Calls are sorted: they are symmetric.
 */
export function controlState(snapshot: AgentSnapshot): string {
  const { context } = snapshot;
  const { counters, limits, repeats, usage, clock, rest, calls, deadline } = context;
  const state = stateOf(snapshot);
  // Nothing may happen any more: how it ended is all there is.
  if (snapshot.status !== 'active') return JSON.stringify({ state, rest: rest?.status });
  return JSON.stringify({
    state,
    calls: calls.map((call) => callState(call, context)).sort(),
    // Counters count only up to where their limit is reached.
    turns: Math.min(counters.turns, limits.turns),
    toolCalls: Math.min(counters.toolCalls, limits.toolCalls),
    repairs: Math.min(counters.repairs, limits.repairs),
    stopBlocks: Math.min(counters.stopBlocks, limits.stopBlocks),
    repeats: Math.min(repeats.most, limits.repeatedCalls),
    overTokens: limits.tokens !== null && usage.inputTokens + usage.outputTokens >= limits.tokens,
    overTime: limits.time !== null && clock.workedMs >= limits.time,
    limits: Object.values(limits),
    rest: rest?.status === 'suspended' ? rest.reason : null,
    hasDeadline: deadline !== null,
    hasAnswer: context.answer !== null,
  });
}

function callState(call: Call, { limits, clock }: AgentContext): string {
  const { tool, input, stage, facts, hookQuestions, outcomeUnknown, grants, result } = call;
  if (stage === 'settled') return `${tool} ${result?.outcome}`;
  // Facts matter while they are asked about, and as what grants are bound to.
  const matters = stage === 'asked' || grants.length > 0;
  // What a running call was approved for counts again if its start does not come about.
  const waiting = stage === 'running' ? { ...call, starts: call.starts - 1 } : call;
  return JSON.stringify([
    `${tool} ${JSON.stringify(input)}`,
    stage,
    matters ? facts : null,
    hookQuestions.length,
    outcomeUnknown,
    [...approvalsOf(waiting)].sort(),
    endOf(waiting, clock.at),
    Math.min(call.setbacks, limits.setbacks + 1),
  ]);
}

function endOf(call: Call, at: number): 'none' | 'open' | 'over' {
  const end = approvedUntil(call);
  if (end === null) return 'none';
  return end <= at ? 'over' : 'open';
}
