import { type HookSelector, matchesTool, namesIn } from '../../machines/agent/matcher.ts';
import type { Policies } from '../../machines/permission/policies.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';

/** What speaks of tools by name. */
export interface NamingOptions {
  readonly tools: Iterable<string>;
  /** A host's own policies, without the shipped ones. */
  readonly policies: Policies;
  readonly hooks: readonly HookSelector[];
}

/**
 * Checks that policies and hooks speak of tools that there are: one with a misspelled name would
 * be a gate that nothing goes through.
 * @throws AgentHubError `invalid_options` naming each, and the tools there are.
 */
export function checkToolNames({ tools, policies, hooks }: NamingOptions): void {
  const known = [...tools];
  const isUnknown = (name: string) => !known.includes(name);
  const ofPolicies = Object.keys(policies)
    .filter(isUnknown)
    .map((name) => `permissions.policies.${name}: there is no tool of this name`);
  const ofHooks = hooks.flatMap(({ name, matcher }) => {
    const names = namesIn(matcher);
    if (names !== null)
      return names
        .filter(isUnknown)
        .map((wanted) => `hooks.${name}: matcher: there is no tool ${wanted}`);
    if (known.some((tool) => matchesTool(matcher, tool))) return [];
    return [`hooks.${name}: matcher: ${matcher} selects none of the tools`];
  });
  const problems = [...ofPolicies, ...ofHooks];
  if (problems.length === 0) return;
  const there = known.length === 0 ? 'There are no tools.' : `There are: ${known.join(', ')}.`;
  throw new AgentHubError('invalid_options', `${problems.join('\n')}\n${there}`, { tools: known });
}
