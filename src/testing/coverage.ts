import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { type GraphTransition, toGraph } from '../../machines/agent/agent.graph.ts';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { controlState } from './control-state.ts';
import { type ExploredEdge, pathTo } from './explore.ts';
import { createReplay } from './replay.ts';
import type { World, WorldEvent } from './world/world.types.ts';

/** How often live replays took a transition of the chart. */
export interface TransitionCoverage
  extends Pick<GraphTransition, 'source' | 'target' | 'event' | 'guard'> {
  readonly taken: number;
}

/** How often a guard held, and did not, in live replays. */
export interface GuardCoverage {
  readonly guard: string;
  readonly held: number;
  readonly failed: number;
}

/** A path that took transitions which no path before it had taken: how one gets there. */
export interface Witness {
  /** Its events, in words. */
  readonly steps: readonly string[];
  /** The transitions it took, in order, by their index in {@link Coverage.transitions}. */
  readonly transitions: readonly number[];
  /** Those of them that no path before it had taken. */
  readonly first: readonly number[];
}

/** What live replays covered of the chart. JSON; the inspector draws it. */
export interface Coverage {
  readonly paths: number;
  readonly microsteps: number;
  readonly states: Readonly<Record<string, number>>;
  readonly transitions: readonly TransitionCoverage[];
  readonly guards: readonly GuardCoverage[];
  /** One for every transition taken; most serve several. */
  readonly witnesses: readonly Witness[];
}

/** A path that ended live otherwise than on paper. */
export interface Mismatch {
  readonly path: readonly WorldEvent[];
  readonly expected: string;
  readonly live: string;
}

/** Replays edges on live actors and counts what they cover. */
export interface CoverageCounter {
  /** Gives the paths that ended otherwise than explored. */
  replay(world: World, edges: readonly ExploredEdge[]): Promise<readonly Mismatch[]>;
  report(): Coverage;
}

/** The sum of coverages of one machine. */
export function mergeCoverage(coverages: readonly Coverage[]): Coverage {
  const [first, ...rest] = coverages;
  if (first === undefined) return createCoverage().report();
  return rest.reduce(
    (sum, next) => ({
      paths: sum.paths + next.paths,
      microsteps: sum.microsteps + next.microsteps,
      states: Object.fromEntries(
        [...new Set([...Object.keys(sum.states), ...Object.keys(next.states)])]
          .sort()
          .map((state) => [state, (sum.states[state] ?? 0) + (next.states[state] ?? 0)]),
      ),
      transitions: sum.transitions.map((one, index) => ({
        ...one,
        taken: one.taken + (next.transitions[index]?.taken ?? 0),
      })),
      guards: sum.guards.map((one, index) => ({
        ...one,
        held: one.held + (next.guards[index]?.held ?? 0),
        failed: one.failed + (next.guards[index]?.failed ?? 0),
      })),
      witnesses: mergeWitnesses([...sum.witnesses, ...next.witnesses]),
    }),
    first,
  );
}

function mergeWitnesses(witnesses: readonly Witness[]): readonly Witness[] {
  const seen = new Set<number>();
  return witnesses.flatMap((witness) => {
    const first = witness.first.filter((index) => !seen.has(index));
    for (const index of first) seen.add(index);
    return first.length === 0 ? [] : [{ ...witness, first }];
  });
}

/** Counts over any number of worlds. Guards are watched, and do what they always do. */
export function createCoverage(machine: typeof agentMachine = agentMachine): CoverageCounter {
  const guards = new Map<string, { held: number; failed: number }>();
  const watched = machine.provide({ guards: watchGuards(machine, guards) as never });
  const { transitions: all } = toGraph(machine);
  const indices = new Map(all.map((transition, index) => [graphId(transition), index]));
  const taken = all.map(() => 0);
  const witnesses: Witness[] = [];
  const states = new Map<string, number>();
  let paths = 0;
  let microsteps = 0;

  return {
    async replay(world, edges) {
      let route: number[] = [];
      let first: number[] = [];
      const replay = createReplay(world, {
        machine: watched,
        onTransitions: (transitions) => {
          microsteps += 1;
          for (const transition of transitions) {
            const index = indices.get(transitionId(transition as AnyTransitionDefinition));
            if (index === undefined) continue;
            route.push(index);
            if (taken[index] === 0) first.push(index);
            taken[index] = (taken[index] ?? 0) + 1;
          }
        },
      });
      const mismatches: Mismatch[] = [];
      for (const { source, event, after } of edges) {
        const path = [...pathTo(source), event];
        [route, first] = [[], []];
        const live = (await replay(path)).at(-1);
        paths += 1;
        if (first.length > 0) {
          const steps = path.map(({ label }) => label);
          witnesses.push({ steps, transitions: route, first });
        }
        const key = live === undefined ? '' : controlState(live);
        const state = stateName(live?.value);
        states.set(state, (states.get(state) ?? 0) + 1);
        const expected = controlState(after);
        const isSame =
          key === expected && JSON.stringify(live?.context) === JSON.stringify(after.context);
        if (!isSame) mismatches.push({ path, expected, live: key });
      }
      return mismatches;
    },
    report() {
      return {
        paths,
        microsteps,
        states: Object.fromEntries([...states].sort()),
        transitions: all.map(({ source, target, event, guard }, index) => ({
          ...{ source, target, event, guard },
          taken: taken[index] ?? 0,
        })),
        guards: [...guards].sort().map(([guard, counts]) => ({ guard, ...counts })),
        witnesses: [...witnesses],
      };
    },
  };
}

function watchGuards(
  machine: typeof agentMachine,
  counts: Map<string, { held: number; failed: number }>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(machine.implementations.guards).map(([name, guard]) => {
      const count = { held: 0, failed: 0 };
      counts.set(name, count);
      const watch = (...given: unknown[]) => {
        const outcome = (guard as (...given: unknown[]) => boolean)(...given);
        if (outcome) count.held += 1;
        else count.failed += 1;
        return outcome;
      };
      return [name, watch];
    }),
  );
}

/** `provide` makes new objects, so a transition is known by where it is and what it is. */
function transitionId(transition: AnyTransitionDefinition): string {
  const { source, eventType, guard, target } = transition;
  const [to] = (target ?? []) as AnyStateNode[];
  const name = typeof guard === 'object' ? ((guard as { type?: string }).type ?? null) : guard;
  const port = /^xstate\.(done|error)\.actor\.(.+)$/u.exec(eventType);
  return graphId({
    source: source.path.join('.'),
    target: to ? to.path.join('.') : null,
    event: port === null ? eventType : `${port[1]}: ${port[2]}`,
    guard: typeof name === 'string' ? name : null,
  });
}

function graphId({ source, target, event, guard }: Omit<TransitionCoverage, 'taken'>): string {
  return `${source} ${event} [${guard ?? ''}] ${target ?? ''}`;
}

function stateName(value: unknown): string {
  if (typeof value === 'string') return value;
  const [entry] = Object.entries((value ?? {}) as Record<string, unknown>);
  return entry === undefined ? '' : `${entry[0]}.${stateName(entry[1])}`;
}
