import type { HookEvent } from '../../../machines/agent/matcher.ts';
import type { Policies } from '../../../machines/permission/policies.ts';
import { withFewPolicyFacts, withPolicyFacts } from './policy-facts.ts';
import { CALLS, ONE_CALL_WORLD, TWO_CALL_WORLD } from './shipped-worlds.ts';
import type { NamedWorld, World, WorldCall } from './world.types.ts';

/** What a host's agent brings into its worlds. */
export interface HostParts {
  readonly policies: Policies;
  readonly hooks: readonly { readonly event: HookEvent }[];
  /** Calls of the host's tools that stand for all it may be asked for. */
  readonly calls: readonly WorldCall[];
  /** How many calls one reply may hold: 1 or 2. Default 2. */
  readonly callsPerReply?: 1 | 2;
}

/**
 * The worlds for a host's own policies, hooks and tools: everything that may happen in the shipped
 * worlds, with the host's calls. With one call per reply, calls of a tool under rules of the host's
 * own touch everything that those rules tell apart; with two, what each rule matches on, and what none
 * does. Hooks may answer anything unless a call says what they answer.
 */
export function hostWorlds({
  policies,
  hooks,
  calls,
  callsPerReply = 2,
}: HostParts): readonly NamedWorld[] {
  const part: Partial<World> = { policies, hooks: [...new Set(hooks.map(({ event }) => event))] };
  const one: NamedWorld = {
    name: 'one call per reply',
    world: {
      ...ONE_CALL_WORLD,
      ...part,
      calls: [...withPolicyFacts(calls, policies), CALLS.unknown],
    },
    replay: 'all',
  };
  if (callsPerReply === 1) return [one];
  const few = withFewPolicyFacts(calls, policies);
  const world: World = { ...TWO_CALL_WORLD, ...part, calls: few, callsPerReply: [2] };
  return [one, { name: 'two calls per reply', world, replay: 40 }];
}

/** A call that stands for a tool, with an input of its own or none. */
export function callOf(tool: string, options: Partial<Omit<WorldCall, 'tool'>> = {}): WorldCall {
  return { tool, providerId: null, input: {}, problem: null, ...options };
}
