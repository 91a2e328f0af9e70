import { initialTransition, transition } from 'xstate';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { controlState } from './control-state.ts';
import {
  type AgentSnapshot,
  type World,
  type WorldEvent,
  worldEvents,
  worldInput,
} from './world.ts';

/** A control state, with the shortest way there. */
export interface ExploredState {
  readonly key: string;
  /** One concrete snapshot of it. */
  readonly snapshot: AgentSnapshot;
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

export interface ExploreOptions {
  /** The machine that is explored. Default the real one; a mutant in tests. */
  readonly machine?: typeof agentMachine;
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
  const { machine = agentMachine, onEdge, maxStates = 500_000 } = options;
  const [snapshot] = initialTransition(machine, worldInput(world));
  const first: ExploredState = { key: controlState(snapshot), snapshot, from: null };
  const states = new Map([[first.key, first]]);
  const queue = [first];
  let edges = 0;
  for (let next = 0; next < queue.length; next += 1) {
    const source = queue[next] as ExploredState;
    for (const event of worldEvents(world, source.snapshot)) {
      const [after] = transition(machine, source.snapshot, event as never);
      const key = controlState(after);
      let target = states.get(key);
      if (target === undefined) {
        target = { key, snapshot: after, from: { state: source, event } };
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
function tooLarge(states: ReadonlyMap<string, unknown>): AgentHubError {
  const values = new Map<string, Set<string>>();
  for (const key of states.keys()) {
    for (const [name, value] of Object.entries(JSON.parse(key) as object)) {
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
