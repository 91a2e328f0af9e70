import { explain, NO_AUTHORIZATION } from '../../../machines/permission/evaluate.ts';
import {
  type Condition,
  DEFAULT_POLICIES,
  type Policies,
} from '../../../machines/permission/policies.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { canonicalJson, type Json } from '../../../machines/vocabulary/json.ts';
import { FACTS, HARMLESS } from './shipped-worlds.ts';
import type { FactsVariant, WorldCall } from './world.types.ts';

/** More combinations than this are for the host to choose from. */
const MOST = 64;

/** What the chart itself says of a call, whatever an inspector answers. */
const NO_FACTS = ['toolName', 'hookQuestions', 'outcomeUnknown'];

/**
 * A host's calls with the facts that its own rules tell apart. A fact that a world never has counts
 * as met, so that a rule about it would ask on every path, and the path on which it does not ask
 * would go unseen. Each fact that a rule names takes every value that makes a difference, in every
 * combination. A call that says what it may touch, and a tool under a shipped policy, stay as they are.
 */
export function withPolicyFacts(
  calls: readonly WorldCall[],
  policies: Policies,
): readonly WorldCall[] {
  return calls.map((call) => {
    const variants = variantsFor(call, policies);
    return variants === null ? call : { ...call, facts: [...variants, FACTS.private] };
  });
}

/**
 * The same for worlds with several calls in a reply, where every combination would be too much: of
 * those facts the ones on which the fewest rules match, and for each rule the ones on which it does
 * with the fewest others beside it. What rules do together is seen with one call per reply.
 */
export function withFewPolicyFacts(
  calls: readonly WorldCall[],
  policies: Policies,
): readonly WorldCall[] {
  return calls.map((call) => {
    const variants = variantsFor(call, policies);
    if (variants === null) return call;
    const matched = variants.map((variant) => ({
      variant,
      rules: matching(variant, call, policies),
    }));
    const sorted = matched.sort((one, other) => one.rules.length - other.rules.length);
    const names = new Set(sorted.flatMap(({ rules }) => rules));
    const each = [...names].map((name) => sorted.find(({ rules }) => rules.includes(name)));
    const chosen = [sorted[0], ...each].flatMap((one) => (one === undefined ? [] : [one.variant]));
    return { ...call, facts: [...new Set(chosen)] };
  });
}

/** The rules of a call's policy that match with these facts. */
function matching(
  { facts }: FactsVariant,
  { tool }: WorldCall,
  policies: Policies,
): readonly string[] {
  const whole = { ...HARMLESS, ...facts, toolName: tool };
  return explain(whole, NO_AUTHORIZATION, policies).flatMap(({ rule, matched }) =>
    matched ? [rule] : [],
  );
}

/** What a host's own rules tell apart of a call, or null where it stays as it is. */
function variantsFor(call: WorldCall, policies: Policies): readonly FactsVariant[] | null {
  const policy = Object.hasOwn(policies, call.tool) ? policies[call.tool] : undefined;
  const shipped = Object.hasOwn(DEFAULT_POLICIES, call.tool) ? DEFAULT_POLICIES[call.tool] : null;
  if (call.facts !== undefined || typeof policy !== 'object') return null;
  if (canonicalJson(policy) === canonicalJson(shipped)) return null;
  const conditions = policy.rules.flatMap(({ when }) => when);
  const variants = variantsOf(conditions);
  if (variants.length <= MOST) return variants;
  throw new AgentHubError(
    'too_many_facts',
    `The rules of ${call.tool} tell ${variants.length} combinations of facts apart, more than ${MOST}: say with callOf("${call.tool}", { facts }) which to look at.`,
  );
}

function variantsOf(conditions: readonly Condition[]): readonly FactsVariant[] {
  const names = [...new Set(conditions.map(({ fact }) => fact))].filter(
    (name) => !NO_FACTS.includes(name),
  );
  return names.reduce<readonly FactsVariant[]>(
    (variants, name) =>
      valuesOf(conditions.filter(({ fact }) => fact === name)).flatMap((value) =>
        variants.map(({ name: before, facts }) => ({
          name: [before, `${name} ${JSON.stringify(value)}`].filter(Boolean).join(', '),
          facts: { ...facts, [name]: value },
        })),
      ),
    [{ name: '', facts: {} }],
  );
}

/** Values on both sides of every condition about one fact. */
function valuesOf(conditions: readonly Condition[]): readonly Json[] {
  const values = conditions.flatMap((condition): Json[] => {
    if ('above' in condition) return [condition.above, condition.above + 1];
    if ('below' in condition) return [condition.below - 1, condition.below];
    return [condition.is, typeof condition.is === 'boolean' ? !condition.is : 'something else'];
  });
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}
