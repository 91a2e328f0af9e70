import type { AgentSnapshot } from '../../machines/agent/agent.machine.ts';
import type { Limits } from '../../machines/agent/agent.types.ts';

/** A run from where it stands on, under the lower of its own limits and others, each by itself. */
export function lowerLimits(snapshot: AgentSnapshot, others: Limits): AgentSnapshot {
  const { context } = snapshot;
  const names = Object.keys(context.limits) as (keyof Limits)[];
  const limits = Object.fromEntries(
    names.map((name) => [name, lower(context.limits[name], others[name])]),
  ) as unknown as Limits;
  return { ...snapshot, context: { ...context, limits } };
}

/** Null is no limit. */
function lower(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
