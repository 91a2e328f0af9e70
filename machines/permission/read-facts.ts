import { isJson } from '../vocabulary/json.ts';
import type { Facts } from './evaluate.ts';

/** What an inspector's answer comes to: what it says, or why it is none. */
export type FactsReading =
  | { readonly ok: true; readonly facts: Partial<Facts> }
  | { readonly ok: false; readonly problem: string };

const FLAGS = ['touchesPrivate', 'outsideAllowedArea', 'serviceAllowed', 'outputExists'] as const;

/** What holds of the facts that an inspector does not name. */
export const UNNAMED_FACTS = {
  touchesPrivate: false,
  outsideAllowedArea: false,
  serviceAllowed: true,
  outputExists: false,
  identity: null,
} satisfies Omit<Facts, 'toolName'>;

/**
 * Reads what a fact inspector answered: facts are what permission rests on, so what has not their
 * form is no fact. Nothing at all, and a known fact left undefined, names none. The answer is a copy:
 * an inspector may keep its own and change it after the decision.
 */
export function readFacts(found: unknown): FactsReading {
  const given = (found ?? {}) as Record<string, unknown>;
  if (typeof given !== 'object' || Array.isArray(given)) return refuse('they are not an object');
  const facts: Record<string, unknown> = { ...given };
  for (const name of Object.keys(UNNAMED_FACTS)) {
    // By name, too: an inspector's class may answer it without owning it.
    const value = given[name];
    if (value === undefined) delete facts[name];
    else facts[name] = value;
  }
  const odd = FLAGS.find((name) => name in facts && typeof facts[name] !== 'boolean');
  if (odd !== undefined) return refuse(`${odd} is neither true nor false`);
  const { identity = null } = facts;
  if (typeof identity !== 'object' || Array.isArray(identity))
    return refuse('identity is neither an object nor null');
  if (!isJson(facts)) return refuse('they are not JSON');
  return { ok: true, facts: JSON.parse(JSON.stringify(facts)) };
}

function refuse(problem: string): FactsReading {
  return { ok: false, problem };
}
