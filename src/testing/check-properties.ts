import type { agentMachine } from '../../machines/agent/agent.machine.ts';
import { type ExploredEdge, type ExploredState, explore, pathTo } from './explore.ts';
import { appliesIn, type Property } from './properties.ts';
import type { AgentSnapshot, World, WorldEvent } from './world/world.types.ts';

/** A path that breaks a property: the shortest there is. */
export interface Counterexample {
  /** What is wrong at its end. */
  readonly problem: string;
  readonly path: readonly WorldEvent[];
}

/** What became of one property. */
export interface PropertyResult {
  readonly id: string;
  readonly text: string;
  readonly counterexample: Counterexample | null;
  /** Whether it was about a call in any state of this world: if not, it could not fail. */
  readonly applied: boolean;
}

/** What became of all properties in one world. */
export interface PropertyReport {
  readonly states: number;
  readonly edges: number;
  readonly results: readonly PropertyResult[];
}

/** How properties are checked. */
export interface CheckOptions {
  readonly machine?: typeof agentMachine;
  readonly maxStates?: number;
  /** Called with every edge, in breadth-first order. */
  readonly onEdge?: (edge: ExploredEdge) => void;
  /** Called now and then with the edges taken so far. */
  readonly onProgress?: (edges: number) => void;
}

/** Edges between two calls of `onProgress`. */
const PROGRESS = 5_000;

/**
 * Explores a world once and checks every property on every edge of it.
 * @throws AgentHubError `space_too_large` when the world, or a property's memory, has no end.
 */
export function checkProperties(
  world: World,
  properties: readonly Property[],
  { onProgress, onEdge, ...options }: CheckOptions = {},
): PropertyReport {
  const found = new Map<Property, Counterexample>();
  const applied = new Set(properties.filter(({ about }) => about === undefined));
  const successors: Successors = new Map();
  const needsGraph = properties.some(({ goal }) => goal !== undefined);
  let count = 0;
  const { states, edges } = explore(world, {
    ...options,
    properties,
    onEdge: (edge) => {
      count += 1;
      onEdge?.(edge);
      if (count % PROGRESS === 0) onProgress?.(count);
      const taken = { before: edge.source.snapshot, event: edge.event, after: edge.after };
      for (const [index, property] of properties.entries()) {
        if (!applied.has(property) && appliesIn(property, edge.after)) applied.add(property);
        if (property.violation === undefined || found.has(property)) continue;
        const problem = property.violation(taken, edge.source.memories[index] ?? null);
        if (problem === null) continue;
        found.set(property, { problem, path: [...pathTo(edge.source), edge.event] });
      }
      if (!needsGraph || !isForced(edge)) return;
      const { source, event, target } = edge;
      const known = successors.get(source);
      if (known === undefined) successors.set(source, [{ event, target }]);
      else known.push({ event, target });
    },
  });
  for (const property of properties) {
    if (property.goal === undefined) continue;
    const missed = findMissed(states.values(), successors, property.goal);
    if (missed !== null) found.set(property, missed);
  }
  return {
    states: states.size,
    edges,
    results: properties.map((property) => ({
      id: property.id,
      text: property.text,
      counterexample: found.get(property) ?? null,
      applied: applied.has(property),
    })),
  };
}

/** Where a state leads by itself. Without the snapshots of the edges: they would all be kept. */
type Successors = Map<
  ExploredState,
  { readonly event: WorldEvent; readonly target: ExploredState }[]
>;

/** What people do is theirs to leave undone; everything else comes by itself. */
function isForced({ event }: ExploredEdge): boolean {
  return !/^(permission|run)\./u.test(event.type);
}

/** A path that ends, or goes round for ever, without having met the goal. */
function findMissed(
  states: Iterable<ExploredState>,
  successors: Successors,
  goal: (snapshot: AgentSnapshot) => boolean,
): Counterexample | null {
  const [first] = states;
  if (first === undefined || goal(first.snapshot)) return null;
  const finished = new Set<ExploredState>();
  const path: { event: WorldEvent | null; at: ExploredState; left: number }[] = [];
  const open = new Set<ExploredState>();
  const nextOf = (at: ExploredState) => successors.get(at) ?? [];
  const enter = (event: WorldEvent | null, at: ExploredState) => {
    open.add(at);
    path.push({ event, at, left: nextOf(at).length });
  };
  const taken = () => path.flatMap(({ event }) => (event === null ? [] : [event]));
  enter(null, first);
  while (path.length > 0) {
    const top = path[path.length - 1] as (typeof path)[number];
    if (nextOf(top.at).length === 0) return { problem: 'the path ends here', path: taken() };
    top.left -= 1;
    const edge = nextOf(top.at)[top.left];
    if (edge === undefined) {
      finished.add(top.at);
      open.delete(top.at);
      path.pop();
    } else if (open.has(edge.target))
      return { problem: 'from here the path goes round for ever', path: [...taken(), edge.event] };
    else if (!finished.has(edge.target) && !goal(edge.target.snapshot))
      enter(edge.event, edge.target);
  }
  return null;
}
