import { initialTransition } from 'xstate';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { inertScope } from '../../machines/agent/agent.scope.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { Json } from '../../machines/vocabulary/json.ts';
import { controlState } from './control-state.ts';
import type { Property } from './properties.ts';
import { worldEvents, worldInput } from './world/world.ts';
import type { AgentSnapshot, World, WorldEvent } from './world/world.types.ts';

/** A control state, with the shortest way there. */
export interface ExploredState {
  readonly key: string;
  /** One concrete snapshot of it. */
  readonly snapshot: AgentSnapshot;
  /** What the properties remember here, in their order. */
  readonly memories: readonly Json[];
  /** How it was first reached, or null for the initial state. */
  readonly from: { readonly state: ExploredState; readonly event: WorldEvent } | null;
}

/** One event taken in one control state. */
export interface ExploredEdge {
  readonly source: ExploredState;
  readonly event: WorldEvent;
  readonly target: ExploredState;
  /** The concrete snapshot after the event; its control state is the target's. */
  readonly after: AgentSnapshot;
}

/** The control state space of the machine in a world. */
export interface Exploration {
  readonly world: World;
  readonly states: ReadonlyMap<string, ExploredState>;
  readonly edges: number;
}

/** How far a world is explored, and who watches. */
export interface ExploreOptions {
  /** The machine that is explored. Default the real one; a mutant in tests. */
  readonly machine?: typeof agentMachine;
  /** Properties whose memories are explored along. */
  readonly properties?: readonly Pick<Property, 'memory'>[];
  /** Called with every edge, in breadth-first order. */
  readonly onEdge?: (edge: ExploredEdge) => void;
  /** More states than this are an error that names what grows. Default 500 000. */
  readonly maxStates?: number;
}

/**
 * Explores every control state of the machine that the world can lead to, breadth first, by the
 * machine's pure `transition`. Guards and updates run for real; actors are the world's answers.
 * @throws AgentHubError `space_too_large` naming the parts of the control state that grow.
 */
export function explore(world: World, options: ExploreOptions = {}): Exploration {
  const { machine = agentMachine, properties = [], onEdge, maxStates = 500_000 } = options;
  const [snapshot] = initialTransition(machine, worldInput(world));
  const initial = properties.map(({ memory }) => memory?.initial ?? null);
  const keyOf = (at: AgentSnapshot, memories: readonly Json[]) => {
    const key = controlState(at);
    return memories.some((memory) => memory !== null) ? `${key} ${JSON.stringify(memories)}` : key;
  };
  const first: ExploredState = {
    key: keyOf(snapshot, initial),
    snapshot,
    memories: initial,
    from: null,
  };
  const states = new Map([[first.key, first]]);
  const queue = [first];
  const scope = inertScope({ machine });
  let edges = 0;
  for (let next = 0; next < queue.length; next += 1) {
    const source = queue[next] as ExploredState;
    for (const event of worldEvents(world, source.snapshot)) {
      const after = machine.transition(source.snapshot, event as never, scope);
      const taken = { before: source.snapshot, event, after };
      const memories = properties.map(
        ({ memory }, index) => memory?.next(source.memories[index] ?? null, taken) ?? null,
      );
      const key = keyOf(after, memories);
      let target = states.get(key);
      if (target === undefined) {
        target = { key, snapshot: after, memories, from: { state: source, event } };
        states.set(key, target);
        queue.push(target);
        if (states.size > maxStates) throw tooLarge(states);
      }
      edges += 1;
      onEdge?.({ source, event, target, after });
    }
  }
  return { world, states, edges };
}

/** The events that lead from the start to a state, the shortest way. */
export function pathTo(state: ExploredState): readonly WorldEvent[] {
  const path: WorldEvent[] = [];
  for (let at = state; at.from !== null; at = at.from.state) path.push(at.from.event);
  return path.reverse();
}

/** Names the parts of the control state with the most different values. */
function tooLarge(states: ReadonlyMap<string, ExploredState>): AgentHubError {
  const values = new Map<string, Set<string>>();
  for (const { snapshot, memories } of states.values()) {
    const parts = { ...(JSON.parse(controlState(snapshot)) as object), memories };
    for (const [name, value] of Object.entries(parts)) {
      const seen = values.get(name) ?? new Set();
      values.set(name, seen.add(JSON.stringify(value)));
    }
  }
  const growing = [...values].sort(([, a], [, b]) => b.size - a.size).slice(0, 3);
  const names = growing.map(([name, { size }]) => `${name} (${size} values)`).join(', ');
  return new AgentHubError(
    'space_too_large',
    `The control state space has more than ${states.size - 1} states; what grows most: ${names}.`,
  );
}
