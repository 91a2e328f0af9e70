import { createHash } from 'node:crypto';
import { type ExploreOptions, explore } from './explore.ts';
import type { World } from './world.ts';

/**
 * A digest of every edge between the control states of a world. It changes whenever the control
 * flow does, in whatever way: written down, it makes every such change a deliberate one.
 */
export function fingerprintOf(
  world: World,
  options: Pick<ExploreOptions, 'machine' | 'maxStates'> = {},
): string {
  const edges: string[] = [];
  explore(world, {
    ...options,
    onEdge: ({ source, event, target }) => edges.push(`${source.key} ${event.label} ${target.key}`),
  });
  return createHash('sha256').update(edges.sort().join('\n')).digest('hex');
}
