import { toErrorData } from '../vocabulary/errors.ts';
import { approvedUntil, decide, hasRun, missingApprovals, shownOf } from './agent.calls.ts';
import type { PortOutputs } from './agent.ports.ts';
import type {
  AgentContext,
  Call,
  Grant,
  Limits,
  ParsedReply,
  SuspensionReason,
} from './agent.types.ts';
import { type HookEvent, matchesTool } from './matcher.ts';

// Which hooks apply

export function needsHook({ hooks }: AgentContext, event: HookEvent): boolean {
  return hooks.some((hook) => hook.event === event);
}

export function needsPreToolHook(context: AgentContext): boolean {
  return context.calls.some(
    (call) => call.stage === 'live' && hasToolHook(context, 'PreToolUse', call),
  );
}

export function needsPostToolHook(context: AgentContext): boolean {
  return context.calls.some((call) => hasRun(call) && hasToolHook(context, 'PostToolUse', call));
}

function hasToolHook({ hooks }: AgentContext, event: HookEvent, { tool }: Call): boolean {
  return hooks.some((hook) => hook.event === event && matchesTool(hook.matcher, tool));
}

// What a port answered

export function isPromptAccepted({ verdict }: PortOutputs['userPromptSubmit']): boolean {
  return verdict === 'proceed';
}

/** Whether asking the model again later may help. */
export function isRetryable(thrown: unknown): boolean {
  const { details } = toErrorData(thrown, 'unavailable');
  return (details as { retryable?: unknown } | undefined)?.retryable === true;
}

/** A batch that may be taken up: at least one call, and no more than the cap. */
export function isCallBatch({ limits }: AgentContext, parsed: ParsedReply): boolean {
  if (parsed.kind !== 'calls') return false;
  return parsed.calls.length > 0 && parsed.calls.length <= limits.callsPerReply;
}

// Limits

/** The limit that forbids another model request, or null. */
export function reachedLimit(context: AgentContext): SuspensionReason | null {
  const { counters, limits, usage, clock, repeats } = context;
  if (counters.turns >= limits.turns) return 'limit.turns';
  if (counters.toolCalls >= limits.toolCalls) return 'limit.tool_calls';
  if (limits.tokens !== null && usage.inputTokens + usage.outputTokens >= limits.tokens)
    return 'limit.tokens';
  if (limits.time !== null && clock.workedMs >= limits.time) return 'limit.time';
  if (repeats.most >= limits.repeatedCalls) return 'limit.repeated_call';
  return null;
}

export function hasRepairsLeft({ counters, limits }: AgentContext): boolean {
  return counters.repairs < limits.repairs;
}

export function hasStopBlocksLeft({ counters, limits }: AgentContext): boolean {
  return counters.stopBlocks < limits.stopBlocks;
}

/** The limit that must be raised before a run suspended for this reason goes on. */
export const LIMIT_OF: Partial<Record<SuspensionReason, keyof Limits>> = {
  'limit.turns': 'turns',
  'limit.tool_calls': 'toolCalls',
  'limit.tokens': 'tokens',
  'limit.time': 'time',
  'limit.repairs': 'repairs',
  'limit.stop_blocks': 'stopBlocks',
};

/**
 * Whether a suspended run may go on: the limit that stopped it is raised. Where no limit did, or
 * repeated calls did (their count starts anew), a person's word is enough.
 */
export function canResume({ rest, limits }: AgentContext, wanted: Partial<Limits>): boolean {
  if (rest?.status !== 'suspended') return false;
  const name = LIMIT_OF[rest.reason];
  if (name === undefined) return true;
  const now = limits[name];
  const next = wanted[name];
  if (next === undefined || now === null) return false;
  return next === null || next > now;
}

export function isSuspendedBy({ rest }: AgentContext, reason: SuspensionReason): boolean {
  return rest?.status === 'suspended' && rest.reason === reason;
}

// The batch

export function hasLiveCalls({ calls }: AgentContext): boolean {
  return calls.some((call) => call.stage === 'live');
}

/** Whether a test holds of a live call. */
export function someLive({ calls }: AgentContext, holds: (call: Call) => boolean): boolean {
  return calls.some((call) => call.stage === 'live' && holds(call));
}

export function hasRunningCalls({ calls }: AgentContext): boolean {
  return calls.some((call) => call.stage === 'running');
}

/** Whether it could not be found out what a call would touch. */
export function isUninspected({ facts }: Call): boolean {
  return facts === null;
}

/** Whether a call was set back more often than it may be. */
export function isStuck({ setbacks }: Call, limits: Limits): boolean {
  return setbacks > limits.setbacks;
}

/** Whether one of the approvals that a call rests on has ended. */
export function isApprovalOver(call: Call, at: number): boolean {
  const end = approvedUntil(call);
  return end !== null && end <= at;
}

/** Whether a tool of the batch ran to an end; where none did, there is nothing to look at after it. */
export function hasCallsThatRan({ calls }: AgentContext): boolean {
  return calls.some(hasRun);
}

/** Live calls whose decision is `deny`. */
export function forbiddenCalls({ calls, policies }: AgentContext): readonly Call[] {
  return calls.filter((call) => call.stage === 'live' && decide(call, policies).action === 'deny');
}

/** Live calls whose decision is `ask`. */
export function questionCalls({ calls, policies }: AgentContext): readonly Call[] {
  return calls.filter((call) => call.stage === 'live' && decide(call, policies).action === 'ask');
}

/** Live calls whose decision is `allow`: the only ones that ever start. */
export function allowedCalls({ calls, policies }: AgentContext): readonly Call[] {
  return calls.filter((call) => call.stage === 'live' && decide(call, policies).action === 'allow');
}

// A person's answer

/** The call an answer is for, if it is being asked about. */
function askedCall({ calls }: AgentContext, callId: string): Call | undefined {
  return calls.find((call) => call.id === callId && call.stage === 'asked');
}

/**
 * Whether a grant answers an open question: for a call that is asked about, bound to what is the
 * case now, approving at least one thing and only things that are missing.
 */
export function isValidGrant(
  context: AgentContext,
  grant: (Grant & { readonly callId: string }) | null,
): grant is Grant & { readonly callId: string } {
  const call = grant === null ? undefined : askedCall(context, grant.callId);
  if (grant === null || call === undefined || grant.shown !== shownOf(call)) return false;
  const missing = missingApprovals(decide(call, context.policies));
  return (
    grant.approvals.length > 0 && grant.approvals.every((approval) => missing.includes(approval))
  );
}

export function isAsked(context: AgentContext, callId: string): boolean {
  return askedCall(context, callId) !== undefined;
}

/** Whether the only question left is the one about this call. */
export function isLastQuestion(context: AgentContext, callId: string): boolean {
  return context.calls.every((call) => call.stage !== 'asked' || call.id === callId);
}
