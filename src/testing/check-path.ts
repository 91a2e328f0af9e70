import type { Property } from './properties.ts';
import type { AgentSnapshot, WorldEvent } from './world/world.types.ts';

/** A path and the snapshots along it, the one at the start first, as a replay gives them. */
export interface WalkedPath {
  readonly path: readonly WorldEvent[];
  readonly snapshots: readonly AgentSnapshot[];
}

/** What breaks a property on one path, in order; empty when it holds there. */
export function checkPath(property: Property, { path, snapshots }: WalkedPath): readonly string[] {
  const { goal, violation, memory } = property;
  if (goal !== undefined && !snapshots.some(goal)) return [`never on this path: ${property.text}`];
  const problems: string[] = [];
  let remembered = memory?.initial ?? null;
  for (const [index, event] of path.entries()) {
    const [before, after] = snapshots.slice(index, index + 2);
    if (before === undefined || after === undefined) break;
    const taken = { before, event, after };
    const problem = violation?.(taken, remembered) ?? null;
    if (problem !== null) problems.push(problem);
    remembered = memory?.next(remembered, taken) ?? null;
  }
  return problems;
}
