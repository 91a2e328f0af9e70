import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { Property } from './properties.ts';
import { createReplay, type ReplayOptions } from './replay.ts';
import type { Taken } from './taken.ts';
import type { World, WorldEvent } from './world/world.types.ts';

export interface CheckPathOptions extends Pick<ReplayOptions, 'machine'> {
  readonly properties: readonly Property[];
  /** The property that is checked. */
  readonly id: string;
  readonly world: World;
  readonly path: readonly WorldEvent[];
}

/**
 * Replays one path on a live actor, such as a counterexample that was found before, and gives what
 * is wrong with the property along it, or null.
 * @throws AgentHubError `no_property` for an id that none has; `replay_failed` where the machine
 * cannot take the path any more.
 */
export async function checkPath(options: CheckPathOptions): Promise<string | null> {
  const { properties, id, world, path, machine } = options;
  const property = properties.find((one) => one.id === id);
  if (property === undefined) {
    const known = properties.map((one) => one.id).join(', ');
    throw new AgentHubError('no_property', `There is no property "${id}"; there are: ${known}.`);
  }
  const snapshots = await createReplay(world, machine && { machine })(path);
  const { violation, memory, goal } = property;
  let remembered = memory?.initial ?? null;
  for (const [index, event] of path.entries()) {
    const [before, after] = snapshots.slice(index, index + 2);
    const taken = { before, event, after } as Taken;
    const problem = violation?.(taken, remembered) ?? null;
    if (problem !== null) return problem;
    remembered = memory?.next(remembered, taken) ?? null;
  }
  return goal === undefined || snapshots.some(goal) ? null : 'the path does not come to it';
}
