import { authorizationOf, explain } from '../permission/evaluate.ts';
import type { Approval, Reason } from '../permission/reasons.ts';
import type { Json } from '../vocabulary/json.ts';
import { deriveTodos, type TodoItem } from '../vocabulary/todos.ts';
import { approvalsOf, decide, factsOf, missingApprovals, shownOf } from './agent.calls.ts';
import { LIMIT_OF } from './agent.guards.ts';
import type { AgentContext, Call, Limits, Rest, UsageTotals } from './agent.types.ts';

/** One open question to a person. */
export interface Question {
  /** `<turn>.<index>` within the run. */
  readonly callId: string;
  readonly tool: string;
  /** What would be executed: the whole input, as hooks left it. */
  readonly input: Json;
  /** Every reason, in the order of the rules. */
  readonly reasons: readonly Reason[];
  /** What has to be approved for the call to run. */
  readonly missing: readonly Approval[];
  /** What an answer is bound to: hand it back with the answer. */
  readonly shown: string;
  /** Whether an earlier approval is void because what it was given for has changed. */
  readonly earlierApprovalVoid: boolean;
  /** When the question expires, in milliseconds since the epoch, or null. */
  readonly deadline: number | null;
}

/** What a snapshot of the agent's actor must have to be viewed. */
export interface ViewableSnapshot {
  readonly value: unknown;
  readonly context: AgentContext;
}

/** A limit that stopped a run, and what it is now. */
export interface LimitToRaise {
  readonly name: keyof Limits;
  readonly value: number;
}

/** Tokens of a run; `unknown` as soon as one request went unreported. */
export interface UsageReport {
  readonly requests: number;
  readonly inputTokens: number | 'unknown';
  readonly outputTokens: number | 'unknown';
  /** The sums of what was reported: a lower bound. */
  readonly reported: { readonly inputTokens: number; readonly outputTokens: number };
  /** Messages and characters (UTF-16 units) carried by all requests. */
  readonly messages: number;
  readonly characters: number;
}

/** Where a run stands, such as `awaitPermission.asking`. */
export function stateOf({ value }: ViewableSnapshot): string {
  if (typeof value === 'string') return value;
  const [entry] = Object.entries(value as Record<string, unknown>);
  if (entry === undefined) return '';
  return `${entry[0]}.${stateOf({ value: entry[1] } as ViewableSnapshot)}`;
}

/** The questions that wait for a person; empty unless the run waits. */
export function questionsOf({ context }: ViewableSnapshot): readonly Question[] {
  return context.calls
    .filter(({ stage }) => stage === 'asked')
    .map((call) => question(call, context));
}

function question(call: Call, { policies, deadline }: AgentContext): Question {
  const { id: callId, tool, input, grants } = call;
  const decision = decide(call, policies);
  const shown = shownOf(call);
  return {
    callId,
    tool,
    input,
    reasons: decision.reasons,
    missing: missingApprovals(decision),
    shown,
    earlierApprovalVoid: grants.some((grant) => grant.shown !== shown),
    deadline,
  };
}

/** Every rule, hook and circumstance looked at for a call of the current batch. */
export function explainCall({ context }: ViewableSnapshot, callId: string) {
  const call = context.calls.find(({ id }) => id === callId);
  if (call === undefined || call.facts === null) return [];
  const approvals = authorizationOf(approvalsOf(call));
  return explain(factsOf(call, call.facts), approvals, context.policies);
}

/** The to-do list as it stands. */
export function todosOf({ context }: ViewableSnapshot): readonly TodoItem[] {
  return deriveTodos(context.messages);
}

/** How the run came to rest, or null while it goes on. */
export function restOf({ context }: ViewableSnapshot): Rest | null {
  return context.rest;
}

/** The limit that a suspended run must have raised to go on, or null where a word is enough. */
export function limitToRaise({ context }: ViewableSnapshot): LimitToRaise | null {
  const { rest, limits } = context;
  const name = rest?.status === 'suspended' ? LIMIT_OF[rest.reason] : undefined;
  const value = name === undefined ? null : limits[name];
  return name === undefined || value === null ? null : { name, value };
}

/** Sums of tokens for people: never zero for unknown. */
export function reportUsage(totals: UsageTotals): UsageReport {
  const { requests, unreported, inputTokens, outputTokens, messages, characters } = totals;
  const known = unreported === 0;
  return {
    requests,
    inputTokens: known ? inputTokens : 'unknown',
    outputTokens: known ? outputTokens : 'unknown',
    reported: { inputTokens, outputTokens },
    messages,
    characters,
  };
}
