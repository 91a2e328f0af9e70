import { createActor, fromPromise, type InspectionEvent } from 'xstate';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import type { PortName } from '../../machines/agent/agent.ports.ts';
import { ports } from '../../machines/agent/agent.ports.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { worldInput } from './world/world.ts';
import type { AgentSnapshot, World, WorldEvent } from './world/world.types.ts';

/** An actor that waits for the path to say what it answers. */
interface Held {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What paths are replayed on. */
export interface ReplayOptions {
  /** The machine that is driven. Default the real one. */
  readonly machine?: typeof agentMachine;
  /** Called with every transition taken, as the objects of `machine`'s own definition. */
  readonly onTransitions?: (transitions: readonly unknown[]) => void;
}

/** Drives a fresh live actor along a path; see {@link createReplay}. */
export type Replay = (path: readonly WorldEvent[]) => Promise<readonly AgentSnapshot[]>;

/**
 * Makes a replay of paths in a world: the real runtime, with every port held until the path says
 * what it answers. A replay gives the snapshot after each event, the one at the start first.
 * @throws AgentHubError `replay_failed` when a path answers for an actor that is not running.
 */
export function createReplay(
  world: World,
  { machine = agentMachine, onTransitions }: ReplayOptions = {},
): Replay {
  let held = new Map<string, Held>();
  const hold = fromPromise<unknown, unknown>(
    ({ self }) => new Promise((resolve, reject) => held.set(self.id, { resolve, reject })),
  );
  const names = Object.keys(ports) as PortName[];
  const actors = Object.fromEntries(names.map((name) => [name, hold]));
  const driven = machine.provide({ actors: actors as never });
  const input = worldInput(world);

  return async (path) => {
    held = new Map();
    let failure: unknown = null;
    const actor = createActor(driven, {
      input,
      inspect: (event) => {
        if (event.type !== '@xstate.microstep' || !isRoot(event)) return;
        onTransitions?.((event as unknown as { _transitions: unknown[] })._transitions);
      },
    });
    actor.subscribe({
      error: (thrown) => {
        failure = thrown;
      },
    });
    actor.start();
    const snapshots = [actor.getSnapshot()];
    for (const event of path) {
      const answer = /^xstate\.(done|error)\.actor\.(.+)$/u.exec(event.type);
      if (answer === null) actor.send(event as never);
      else await settle(held, event, answer);
      if (failure !== null) throw failure;
      snapshots.push(actor.getSnapshot());
    }
    actor.stop();
    return snapshots;
  };
}

async function settle(
  held: Map<string, Held>,
  event: WorldEvent,
  [, kind = '', id = '']: RegExpExecArray,
): Promise<void> {
  const promise = held.get(id);
  if (promise === undefined) {
    const running = [...held.keys()].join(', ') || 'none';
    throw new AgentHubError(
      'replay_failed',
      `The path answers for "${id}" (${event.label}), but what runs is: ${running}.`,
    );
  }
  held.delete(id);
  if (kind === 'done') promise.resolve(event.output);
  else promise.reject(event.error);
  // The actor takes the result in a later microtask; a few turns of the queue are enough for all.
  for (let turn = 0; turn < 4; turn += 1) await null;
}

/** The first microsteps come before `createActor` returns, so the actor itself is not known yet. */
function isRoot({ actorRef, rootId }: InspectionEvent): boolean {
  return (actorRef as { sessionId?: string }).sessionId === rootId;
}
