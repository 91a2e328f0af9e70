import type { Policies } from '../../permission/policies.ts';
import { type Reason, reason as reasonOf } from '../../permission/reasons.ts';
import { type ErrorData, toErrorData } from '../../vocabulary/errors.ts';
import type { LocalizedText } from '../../vocabulary/json.ts';
import type { ContextNote } from '../../vocabulary/messages.ts';
import { approvalsOf, close, decide, shownOf } from '../agent.calls.ts';
import { isApprovalOver, isStuck, isUninspected, questionCalls } from '../agent.guards.ts';
import type { PortOutputs } from '../agent.ports.ts';
import type { AgentContext, Call, Grant, Inspection } from '../agent.types.ts';
import { type Update, updateCall, updateLive, wait, work } from './shared.ts';

// preToolHook

/** A call that the hooks gave no word on is treated as one whose hook failed. */
export function applyPreToolVerdicts(
  { calls }: AgentContext,
  verdicts: PortOutputs['preToolUse'],
): Update {
  return {
    calls: updateLive(calls, (call) => {
      const found = Object.hasOwn(verdicts, call.id) ? verdicts[call.id] : undefined;
      if (found === undefined) return closeHookFailed(call, []);
      const { verdict, reasons, context, input } = found;
      const seen: Call = { ...call, input, context };
      if (verdict === 'proceed') return seen;
      if (verdict === 'ask') return { ...seen, hookQuestions: reasons };
      if (verdict === 'block')
        return close(seen, 'blocked', { reasons: hookReasons('hook_blocked', reasons) });
      return closeHookFailed(seen, reasons);
    }),
  };
}

/** The hooks' actor itself failed: the gate closes for every call that waits at it. */
export function blockLiveCalls({ calls, faults }: AgentContext, thrown: unknown): Update {
  const error = toErrorData(thrown, 'hook_failed');
  return {
    faults: [...faults, { state: 'preToolHook', error }],
    calls: updateLive(calls, (call) =>
      closeHookFailed(call, [{ source: 'PreToolUse', text: error.message }]),
    ),
  };
}

function closeHookFailed(call: Call, reasons: readonly ContextNote[]): Call {
  const notes = reasons.length > 0 ? reasons : [{ source: 'PreToolUse', text: 'no answer' }];
  return close(call, 'hook_failed', { reasons: hookReasons('hook_failed', notes) });
}

function hookReasons(code: 'hook_blocked' | 'hook_failed', notes: readonly ContextNote[]) {
  return notes.map(({ source, text }) => reasonOf(code, 'hook', { detail: `${source}: ${text}` }));
}

// awaitPermission

/** Takes in what the live calls would touch as of now, or why that could not be found out. */
export function recordFacts(context: AgentContext, { at, facts }: Inspection): Update {
  return {
    clock: work(context.clock, at),
    deadline: null,
    calls: updateLive(context.calls, (call) => {
      const found = Object.hasOwn(facts, call.id) ? facts[call.id] : undefined;
      if (!found?.ok) return { ...call, facts: null, inspectionError: found?.error ?? null };
      const seen = { ...call, facts: found.facts, inspectionError: null };
      return isApprovalVoid(call, seen) ? { ...seen, setbacks: call.setbacks + 1 } : seen;
    }),
  };
}

/** Whether a call had approvals, and its facts are no longer those that were approved. */
function isApprovalVoid(before: Call, now: Call): boolean {
  return approvalsOf(before).length > 0 && shownOf(before) !== shownOf(now);
}

/** The inspection itself failed: none of the live calls has facts now. */
export function recordInspectionFault({ calls, faults }: AgentContext, thrown: unknown): Update {
  const error = toErrorData(thrown, 'facts_unavailable');
  return {
    faults: [...faults, { state: 'awaitPermission', error }],
    deadline: null,
    calls: updateLive(calls, (call) => ({ ...call, facts: null, inspectionError: error })),
  };
}

/** Closes the calls without facts: nobody can decide on what a call would touch unseen. */
export function closeUninspectedCalls({ calls }: AgentContext): Update {
  return {
    calls: updateLive(calls, (call) => {
      if (!isUninspected(call)) return call;
      const detail = wordsOfError(call.inspectionError);
      const reasons = [reasonOf('facts_unavailable', 'engine', { detail })];
      return close(call, 'facts_unavailable', { reasons });
    }),
  };
}

function wordsOfError(error: ErrorData | null): string | LocalizedText {
  const en = error?.message ?? '';
  const { zh } = (error?.details ?? {}) as { readonly zh?: unknown };
  return typeof zh === 'string' && en !== '' ? { zh, en } : en;
}

/** Denies the calls that were set back too often: their facts kept changing, or they never started. */
export function closeStuckCalls({ calls, limits }: AgentContext): Update {
  const detail = String(limits.setbacks);
  const reasons = [reasonOf('too_many_setbacks', 'engine', { detail })];
  return {
    calls: updateLive(calls, (call) =>
      isStuck(call, limits) ? close(call, 'denied', { reasons }) : call,
    ),
  };
}

/** Closes the calls of which an approval has ended. */
export function closeExpiredCalls({ calls, clock }: AgentContext): Update {
  const reasons = [reasonOf('approval_expired', 'engine')];
  return {
    calls: updateLive(calls, (call) =>
      isApprovalOver(call, clock.at) ? close(call, 'expired', { reasons }) : call,
    ),
  };
}

/** Denies what the evaluator denies, with every reason it gives. */
export function closeForbiddenCalls({ calls, policies }: AgentContext): Update {
  return {
    calls: updateLive(calls, (call) => {
      const { action, reasons } = decide(call, policies);
      return action === 'deny' ? close(call, 'denied', { reasons }) : call;
    }),
  };
}

/** Opens a round of questions, with one deadline for all of them. */
export function askQuestions(context: AgentContext): Update {
  const { clock, limits } = context;
  const questions = new Set(questionCalls(context));
  return {
    deadline: limits.approvalDeadline === null ? null : clock.at + limits.approvalDeadline,
    calls: context.calls.map((call) => (questions.has(call) ? { ...call, stage: 'asked' } : call)),
  };
}

export function addGrant(
  { calls, clock }: AgentContext,
  grant: Grant & { readonly callId: string },
): Update {
  const { callId, ...given } = grant;
  return {
    clock: wait(clock, grant.at),
    calls: updateCall(calls, callId, (call) => ({
      ...call,
      stage: 'live',
      grants: [...call.grants, given],
    })),
  };
}

/** A person's no. What was asked stays beside it: the model is told why it was a question. */
export function denyCall(
  { calls, clock, policies }: AgentContext,
  denial: { readonly callId: string; readonly reason: string; readonly at: number },
): Update {
  return {
    clock: wait(clock, denial.at),
    calls: updateCall(calls, denial.callId, (call) =>
      closeAsked(call, 'denied', {
        because: reasonOf('person_denied', 'person', { detail: denial.reason }),
        policies,
      }),
    ),
  };
}

/** Nobody answered in time: what is still asked is over, what is answered stands. */
export function expireQuestions(
  { calls, clock, policies }: AgentContext,
  { at }: { readonly at: number },
): Update {
  const because = reasonOf('deadline_passed', 'engine');
  return {
    deadline: null,
    clock: wait(clock, at),
    calls: calls.map((call) =>
      call.stage === 'asked' ? closeAsked(call, 'expired', { because, policies }) : call,
    ),
  };
}

function closeAsked(
  call: Call,
  outcome: 'denied' | 'expired',
  { because, policies }: { readonly because: Reason; readonly policies: Policies },
): Call {
  return close(call, outcome, { reasons: [because, ...decide(call, policies).reasons] });
}
