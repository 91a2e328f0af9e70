import type { Json, LocalizedText } from '../vocabulary/json.ts';
import { type Approval, type Reason, reason } from './reasons.ts';

/**
 * A condition on one fact. A fact that nobody looked up fulfils every condition: what a rule
 * needs to know and cannot counts against the call.
 */
export type Condition =
  | { readonly fact: string; readonly is: Json }
  | { readonly fact: string; readonly above: number }
  | { readonly fact: string; readonly below: number };

/** One rule of a policy. JSON. */
export interface Rule {
  /** All must hold for the rule to match. */
  readonly when: readonly Condition[];
  readonly action: 'ask' | 'deny';
  /** What a person may approve to lift an `ask`; null for a `deny`. */
  readonly approval: Approval | null;
  /** A literal code and its text in both languages. */
  readonly reason: LocalizedText & { readonly code: string };
}

/**
 * What is allowed of one tool: always, never, only when asked, or by rules. Of the rules that
 * match, any `deny` decides; else every `ask` whose approval is missing; else it is allowed.
 */
export type Policy = 'allow' | 'ask' | 'deny' | { readonly rules: readonly Rule[] };

/** The policies of an agent, by tool name. A tool without one is denied. JSON. */
export type Policies = Readonly<Record<string, Policy>>;

function askRule(fact: string, is: boolean, why: Reason): Rule {
  const { code, zh, en, approval } = why;
  return { when: [{ fact, is }], action: 'ask', approval, reason: { code, zh, en } };
}

/** The policies of the shipped tools. `echo` has none: registered is not covered. */
export const DEFAULT_POLICIES: Policies = {
  knowledge_search: 'allow',
  todo_write: 'allow',
  image_scaling: {
    rules: [
      askRule(
        'outsideAllowedArea',
        true,
        reason('outside_not_approved', 'rule', { approval: 'outside' }),
      ),
      askRule(
        'serviceAllowed',
        false,
        reason('service_not_approved', 'rule', { approval: 'service' }),
      ),
      askRule(
        'outputExists',
        true,
        reason('overwrite_not_approved', 'rule', { approval: 'overwrite' }),
      ),
    ],
  },
};
