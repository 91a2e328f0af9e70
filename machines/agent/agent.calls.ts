import { authorizationOf, type Decision, evaluate, type Facts } from '../permission/evaluate.ts';
import type { Policies } from '../permission/policies.ts';
import type { Approval, Reason } from '../permission/reasons.ts';
import { canonicalJson } from '../vocabulary/json.ts';
import type { ObservationMessage, Outcome } from '../vocabulary/messages.ts';
import type { Call, CallResult, Grant } from './agent.types.ts';

/**
 * What a person is shown and a grant is bound to: canonical JSON of tool, input, everything
 * the decision rests on, and which start it would be.
 */
export function shownOf(call: Call): string {
  const { tool, input, starts } = call;
  return canonicalJson({
    tool,
    input,
    facts: call.facts && factsOf(call, call.facts),
    attempt: starts + 1,
  });
}

/** The evaluator's word on a call, as of its latest inspection. Without facts it is a deny. */
export function decide(call: Call, policies: Policies): Decision {
  if (call.facts === null) return { action: 'deny', reasons: [] };
  return evaluate(factsOf(call, call.facts), authorizationOf(approvalsOf(call)), policies);
}

/** What was approved of exactly what is the case now. */
export function approvalsOf(call: Call): readonly Approval[] {
  return boundGrants(call).flatMap((grant) => grant.approvals);
}

/** When the first approval that counts ends, in milliseconds since the epoch; null when none does. */
export function approvedUntil(call: Call): number | null {
  const ends = boundGrants(call).flatMap(({ expiresAt }) =>
    expiresAt === null ? [] : [expiresAt],
  );
  return ends.length === 0 ? null : Math.min(...ends);
}

/** The grants of exactly what is the case now. */
function boundGrants(call: Call): readonly Grant[] {
  if (call.grants.length === 0) return [];
  const shown = shownOf(call);
  return call.grants.filter((grant) => grant.shown === shown);
}

/** The approvals a person would have to give for a call to be allowed. */
export function missingApprovals({ reasons }: Decision): readonly Approval[] {
  return [...new Set(reasons.flatMap(({ approval }) => (approval === null ? [] : [approval])))];
}

/** Facts as decided on: what the chart knows itself overrides what an inspector said. */
export function factsOf(
  call: Call,
  facts: Facts,
): Facts & Pick<Call, 'hookQuestions' | 'outcomeUnknown'> {
  const { tool, hookQuestions, outcomeUnknown } = call;
  return { ...facts, toolName: tool, hookQuestions, outcomeUnknown } as unknown as Facts &
    Pick<Call, 'hookQuestions' | 'outcomeUnknown'>;
}

/** Settles a call that is not running: it keeps `unknown` if an earlier start left that. */
export function close(
  call: Call,
  outcome: Outcome,
  { reasons = [], content = '' }: { reasons?: readonly Reason[]; content?: string } = {},
): Call {
  return settle(call, {
    outcome: call.outcomeUnknown ? 'unknown' : outcome,
    content,
    reasons,
    ms: 0,
  });
}

export function settle(call: Call, result: CallResult): Call {
  return { ...call, stage: 'settled', result };
}

/** The observation of a settled call. */
export function observationOf(call: Call & { readonly result: CallResult }): ObservationMessage {
  const { id, providerId, tool, input, requestedInput, context } = call;
  const { outcome, content, reasons } = call.result;
  const isReplaced = canonicalJson(input) !== canonicalJson(requestedInput);
  const about = { callId: id, providerId, tool, ...(isReplaced && { input }) };
  return { role: 'observation', ...about, outcome, content, reasons, context };
}

export function isSettled(call: Call): call is Call & { readonly result: CallResult } {
  return call.result !== null;
}

/** Whether a tool ran to an end: its result may be looked at by PostToolUse hooks. */
export function hasRun({ result }: Call): boolean {
  return result !== null && ['ok', 'error', 'timeout'].includes(result.outcome);
}
