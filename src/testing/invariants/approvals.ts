import type { AgentContext, Call } from '../../../machines/agent/agent.types.ts';
import type { Condition, Policies } from '../../../machines/permission/policies.ts';
import type { Approval } from '../../../machines/permission/reasons.ts';
import { canonicalJson } from '../../../machines/vocabulary/json.ts';
import type { Taken } from '../taken.ts';

/**
 * The approvals a call needs by the facts an inspection just gave, worked out from the policies
 * anew and not by the evaluator; null where nothing can allow it.
 */
function needs(
  call: Call,
  facts: Readonly<Record<string, unknown>>,
  policies: Policies,
): readonly (Approval | null)[] | null {
  const policy = Object.entries(policies).find(([tool]) => tool === call.tool)?.[1];
  if (policy === undefined || policy === 'deny' || facts.touchesPrivate !== false) return null;
  const own: (Approval | null)[] = [];
  if (policy === 'ask') own.push('use');
  if (typeof policy === 'object') {
    for (const { when, action, approval } of policy.rules) {
      if (!when.every((condition) => isMet(condition, facts[condition.fact]))) continue;
      if (action === 'deny') return null;
      own.push(approval);
    }
  }
  if (call.hookQuestions.length > 0) own.push('hook');
  if (call.outcomeUnknown) own.push('repeat');
  return own;
}

/** A fact that is missing, or no number where one is compared, counts against the call. */
function isMet(condition: Condition, value: unknown): boolean {
  if (value === undefined) return true;
  if ('is' in condition) return value === condition.is;
  if (typeof value !== 'number') return true;
  return 'above' in condition ? value > condition.above : value < condition.below;
}

/** What an inspection just found for a call, and the time by then; null where it found nothing. */
export function inspected(
  { before, event }: Taken,
  id: string,
): Readonly<Record<string, unknown>> | null {
  if (event.type !== 'xstate.done.actor.inspectFacts') return null;
  const { facts, at } = event.output as {
    at: number;
    facts: Record<string, { ok: boolean; facts?: Record<string, unknown> }>;
  };
  const found = facts[id];
  return found?.ok === true && found.facts
    ? { ...found.facts, at: Math.max(at, before.context.clock.at) }
    : null;
}

/**
 * The approvals that a call lacks by what was just looked up; null where nothing can allow it, or
 * where an approval that was given has expired, or the call is set back once too often.
 */
export function missingOf(
  call: Call,
  facts: Readonly<Record<string, unknown>>,
  { policies, limits }: Pick<AgentContext, 'policies' | 'limits'>,
): readonly (Approval | null)[] | null {
  const { at, ...touched } = facts;
  if (isStuckWith(call, touched, limits)) return null;
  const shown = shownAs(call, touched);
  const bound = call.grants.filter((grant) => grant.shown === shown);
  if (bound.some(({ expiresAt }) => expiresAt !== null && expiresAt <= (at as number))) return null;
  const given = bound.flatMap(({ approvals }) => approvals);
  const needed = needs(call, touched, policies);
  return needed?.filter((approval) => approval === null || !given.includes(approval)) ?? null;
}

/** What a person is shown of a call with such facts, worked out anew. */
export function shownAs(call: Call, facts: Readonly<Record<string, unknown>>): string {
  const { hookQuestions, outcomeUnknown, tool, input, starts } = call;
  return canonicalJson({
    tool,
    input,
    facts: { ...facts, toolName: tool, hookQuestions, outcomeUnknown },
    attempt: starts + 1,
  });
}

function isStuckWith(
  call: Call,
  facts: Readonly<Record<string, unknown>>,
  limits: AgentContext['limits'],
): boolean {
  const before = call.facts === null ? '' : shownAs(call, call.facts);
  const isVoid =
    before !== shownAs(call, facts) && call.grants.some(({ shown }) => shown === before);
  return call.setbacks + (isVoid ? 1 : 0) > limits.setbacks;
}
