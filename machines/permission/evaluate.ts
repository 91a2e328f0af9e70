import { canonicalJson, type Json, type JsonObject } from '../vocabulary/json.ts';
import type { ContextNote } from '../vocabulary/messages.ts';
import {
  type Condition,
  DEFAULT_POLICIES,
  type Policies,
  type Policy,
  type Rule,
} from './policies.ts';
import { APPROVALS, type Approval, type Reason, reason } from './reasons.ts';

/**
 * What a call touches, looked up by trusted code just before the decision. JSON; a host's fact
 * inspectors may add facts of their own for its policies to name.
 */
export interface Facts {
  readonly toolName: string;
  readonly touchesPrivate: boolean;
  readonly outsideAllowedArea: boolean;
  readonly serviceAllowed: boolean;
  readonly outputExists: boolean;
  /** Identity of what was inspected (device, inode, size, time …): a change voids an approval. */
  readonly identity: JsonObject | null;
  readonly [added: string]: Json;
}

/** What the chart itself knows about a call; no fact inspector can set it. */
export interface Circumstances {
  /** PreToolUse hooks that want a person to decide, with their words. */
  readonly hookQuestions: readonly ContextNote[];
  /** Whether an earlier start left no result. */
  readonly outcomeUnknown: boolean;
}

/** Which approvals a person gave for this very call. */
export interface Authorization {
  readonly outsideAccessApproved: boolean;
  readonly serviceUseApproved: boolean;
  readonly overwriteApproved: boolean;
  readonly useApproved: boolean;
  readonly hookQuestionApproved: boolean;
  readonly repeatApproved: boolean;
}

/** What follows from facts and authorization. `reasons` is empty when the action is `allow`. */
export interface Decision {
  readonly action: 'allow' | 'ask' | 'deny';
  /** All of them, in the order of the rules. */
  readonly reasons: readonly Reason[];
}

/** One thing the evaluator looked at, for explaining a decision. */
export interface Consideration {
  /** Where it comes from: `engine`, `policy`, `policy.rules[2]`, or `hook:<name>`. */
  readonly rule: string;
  readonly matched: boolean;
  readonly action: 'allow' | 'ask' | 'deny';
  /** An approval that was given and lifts it. */
  readonly lifted: boolean;
  /** Null for an `allow`. */
  readonly reason: Reason | null;
}

const FLAGS = {
  outside: 'outsideAccessApproved',
  service: 'serviceUseApproved',
  overwrite: 'overwriteApproved',
  use: 'useApproved',
  hook: 'hookQuestionApproved',
  repeat: 'repeatApproved',
} as const satisfies Record<Approval, keyof Authorization>;

/** No approval given. */
export const NO_AUTHORIZATION: Authorization = authorizationOf([]);

/** The authorization that a list of approvals amounts to. */
export function authorizationOf(approvals: readonly Approval[]): Authorization {
  const given = new Set(approvals.map((approval) => FLAGS[approval]));
  return {
    outsideAccessApproved: given.has('outsideAccessApproved'),
    serviceUseApproved: given.has('serviceUseApproved'),
    overwriteApproved: given.has('overwriteApproved'),
    useApproved: given.has('useApproved'),
    hookQuestionApproved: given.has('hookQuestionApproved'),
    repeatApproved: given.has('repeatApproved'),
  };
}

/**
 * Decides about one call. Pure, synchronous, total: the same facts, authorization and policies
 * always give the same decision, and no input makes it throw.
 */
export function evaluate(
  facts: Facts & Partial<Circumstances>,
  authorization: Authorization,
  policies: Policies = DEFAULT_POLICIES,
): Decision {
  const holding = explain(facts, authorization, policies).filter(
    ({ matched, lifted }) => matched && !lifted,
  );
  const denials = holding.filter(({ action }) => action === 'deny');
  if (denials.length > 0) return { action: 'deny', reasons: reasonsOf(denials) };
  const questions = holding.filter(({ action }) => action === 'ask');
  if (questions.length > 0) return { action: 'ask', reasons: reasonsOf(questions) };
  return { action: 'allow', reasons: [] };
}

/**
 * Everything {@link evaluate} looks at, matched or not, in order. The decision is the strictest
 * action among what matched and is not lifted. What cannot change the decision any more (the
 * rules behind a missing policy or a private area) is not looked at.
 */
export function explain(
  facts: Facts & Partial<Circumstances>,
  authorization: Authorization,
  policies: Policies = DEFAULT_POLICIES,
): readonly Consideration[] {
  const policy = policyOf(policies, facts.toolName);
  const uncovered = engineDenial('tool_not_covered', policy === null);
  if (policy === null) return [uncovered];
  const isPrivate = engineDenial('touches_private', facts.touchesPrivate !== false);
  if (isPrivate.matched) return [uncovered, isPrivate];
  return [
    uncovered,
    isPrivate,
    ...considerPolicy(policy, facts, authorization),
    ...considerCircumstances(facts, authorization),
  ];
}

/** The policy of a tool, or null: one that cannot be read covers nothing. */
function policyOf(policies: Policies, toolName: string): Policy | null {
  const policy = Object.hasOwn(policies, toolName) ? policies[toolName] : undefined;
  if (policy === 'allow' || policy === 'ask' || policy === 'deny') return policy;
  const rules: unknown = (policy as { rules?: unknown } | null | undefined)?.rules;
  return Array.isArray(rules) && rules.every(isRule) ? { rules } : null;
}

function isRule(rule: unknown): rule is Rule {
  const fields = (rule ?? {}) as Partial<Record<keyof Rule, unknown>>;
  const { when, action, approval, reason: why } = fields;
  const { code, zh, en } = (why ?? {}) as Partial<Record<keyof Reason, unknown>>;
  return (
    Array.isArray(when) &&
    when.every((condition) => typeof condition === 'object' && condition !== null) &&
    (action === 'ask' || action === 'deny') &&
    (approval === null || APPROVALS.some((known) => known === approval)) &&
    [code, zh, en].every((text) => typeof text === 'string')
  );
}

function engineDenial(
  code: 'tool_not_covered' | 'touches_private',
  matched: boolean,
): Consideration {
  return { rule: 'engine', matched, action: 'deny', lifted: false, reason: reason(code, 'rule') };
}

function considerPolicy(
  policy: Policy,
  facts: Facts,
  authorization: Authorization,
): readonly Consideration[] {
  const whole = { rule: 'policy', matched: true } as const;
  if (policy === 'allow') return [{ ...whole, action: 'allow', lifted: false, reason: null }];
  if (policy === 'ask') {
    const why = reason('use_not_approved', 'rule', { approval: 'use' });
    return [{ ...whole, action: 'ask', lifted: isApproved('use', authorization), reason: why }];
  }
  if (policy === 'deny') {
    const why = reason('use_forbidden', 'rule');
    return [{ ...whole, action: 'deny', lifted: false, reason: why }];
  }
  return policy.rules.map((rule, index) => ({
    rule: `policy.rules[${index}]`,
    matched: rule.when.every((condition) => holds(condition, facts)),
    action: rule.action,
    lifted: rule.action === 'ask' && isApproved(rule.approval, authorization),
    reason: { ...rule.reason, source: 'rule', approval: rule.approval },
  }));
}

function considerCircumstances(
  { hookQuestions = [], outcomeUnknown = false }: Partial<Circumstances>,
  authorization: Authorization,
): readonly Consideration[] {
  const questions = hookQuestions.map(({ source, text }) => ({
    rule: `hook:${source}`,
    matched: true,
    action: 'ask' as const,
    lifted: isApproved('hook', authorization),
    reason: reason('hook_asks', 'hook', { approval: 'hook', detail: `${source}: ${text}` }),
  }));
  const repeat: Consideration = {
    rule: 'engine',
    matched: outcomeUnknown,
    action: 'ask',
    lifted: isApproved('repeat', authorization),
    reason: reason('outcome_unknown', 'engine', { approval: 'repeat' }),
  };
  return [...questions, repeat];
}

/** Whether a condition is met. What is not known, or cannot be compared, counts as met. */
function holds(condition: Condition, facts: Facts): boolean {
  const value = Object.hasOwn(facts, condition.fact) ? facts[condition.fact] : undefined;
  if (value === undefined) return true;
  if ('is' in condition) return canonicalJson(value) === canonicalJson(condition.is);
  if (typeof value !== 'number' || Number.isNaN(value)) return true;
  if ('above' in condition) return !(value <= condition.above);
  return !(value >= condition.below);
}

function isApproved(approval: Approval | null, authorization: Authorization): boolean {
  return approval !== null && authorization[FLAGS[approval]] === true;
}

function reasonsOf(considerations: readonly Consideration[]): readonly Reason[] {
  return considerations.flatMap(({ reason: why }) => (why === null ? [] : [why]));
}
