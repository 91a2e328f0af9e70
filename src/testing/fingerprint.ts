import { createHash } from 'node:crypto';
import { type ExploredEdge, type ExploreOptions, explore } from './explore.ts';
import type { World } from './world/world.types.ts';

/** Takes edges in, gives a digest of them. */
export function createFingerprint() {
  const edges: string[] = [];
  return {
    see: ({ source, event, target }: ExploredEdge): void => {
      edges.push(`${source.key} ${event.label} ${target.key}`);
    },
    digest: (): string => createHash('sha256').update(edges.sort().join('\n')).digest('hex'),
  };
}

/**
 * A digest of every edge between the control states of a world. It changes whenever the control
 * flow does, in whatever way: written down, it makes every such change a deliberate one.
 */
export function fingerprintOf(
  world: World,
  options: Pick<ExploreOptions, 'machine' | 'maxStates'> = {},
): string {
  const print = createFingerprint();
  explore(world, { ...options, onEdge: print.see });
  return print.digest();
}
