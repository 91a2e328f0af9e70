import type { Graph, GraphTransition } from '../../machines/agent/agent.graph.ts';

/** Why a transition cannot be taken for ever. */
export interface Bound {
  readonly source: string;
  readonly target: string;
  /** The guard that must stand on the transition, or null where its event is the bound. */
  readonly guard: string | null;
  /** What is used up, in one sentence. */
  readonly by: string;
}

/**
 * The transitions that bound the chart's cycles. `turns` is left out on purpose: every way back to
 * the model passes it, and it would hide a missing bound of its own.
 */
export const BOUNDS: readonly Bound[] = [
  {
    source: 'parseReply',
    target: 'callModel',
    guard: 'hasRepairsLeft',
    by: 'counters.repairs grows up to limits.repairs',
  },
  {
    source: 'stopHook.working',
    target: 'callModel',
    guard: 'mayBlockStop',
    by: 'counters.stopBlocks grows up to limits.stopBlocks',
  },
  {
    source: 'parseReply',
    target: 'preToolHook',
    guard: 'isCallBatch',
    by: 'counters.toolCalls grows by the batch, up to limits.toolCalls',
  },
  {
    source: 'execute',
    target: 'awaitPermission',
    guard: 'needsNewDecision',
    by: 'an unknown outcome runs again only on a person\'s grant of "repeat"; a start that did not come about uses up limits.setbacks',
  },
  {
    source: 'awaitPermission.asking',
    target: 'awaitPermission.reviewing',
    guard: null,
    by: 'a person answers, or the deadline settles every call that is still asked',
  },
  {
    source: 'suspended',
    target: 'callModel',
    guard: 'canResume',
    by: 'a person resumes, and raises the limit that was reached',
  },
  {
    source: 'suspended',
    target: 'stopHook',
    guard: 'isSuspendedByHook',
    by: 'a person resumes',
  },
];

/** Transitions that stay where they are; each uses up what only it can. */
export const LOOPS: Readonly<Record<string, string>> = {
  'awaitPermission.asking': 'each answer leaves one question fewer',
  'awaitPermission.deciding': 'each settles at least one call that is live',
  execute: 'each result leaves one running call fewer',
};

/** A way round in the chart, and what it uses up. */
export interface Cycle {
  readonly states: readonly string[];
  readonly bounds: readonly Bound[];
}

/**
 * Every elementary cycle of the chart with what bounds it. One without a bound is a run that may
 * never rest. The bounds are looked for on the chart as it is: guard and all.
 */
export function findCycles(graph: Graph): readonly Cycle[] {
  const edges = leafEdges(graph);
  const order = [...edges.keys()];
  const cycles: Cycle[] = [];
  for (const [index, root] of order.entries()) {
    // Only states from `root` on: each cycle is found once, from its first state.
    const allowed = new Set(order.slice(index));
    const path: Step[] = [];
    const walk = (state: string) => {
      for (const step of edges.get(state) ?? []) {
        if (step.to === root) cycles.push(toCycle([...path, step]));
        else if (
          allowed.has(step.to) &&
          !path.some(({ to }) => to === step.to) &&
          step.to !== root
        ) {
          path.push(step);
          walk(step.to);
          path.pop();
        }
      }
    };
    walk(root);
  }
  return cycles;
}

interface Step {
  readonly from: string;
  readonly to: string;
  readonly transition: GraphTransition;
}

/** The chart between its innermost states; entering a state is entering its first sub-state. */
function leafEdges({ states, transitions }: Graph): ReadonlyMap<string, readonly Step[]> {
  const initialOf = new Map(states.map(({ id, initial }) => [id, initial]));
  const leaf = (id: string): string => {
    const initial = initialOf.get(id);
    return initial ? leaf(initial) : id;
  };
  const leaves = states.filter(({ initial }) => initial === null).map(({ id }) => id);
  return new Map(
    leaves.map((id) => [
      id,
      transitions
        .filter(({ source, target }) => source === id && target !== null)
        .map((transition): Step => ({ from: id, to: leaf(transition.target ?? id), transition })),
    ]),
  );
}

function toCycle(path: readonly Step[]): Cycle {
  const bounds = BOUNDS.filter(({ source, target, guard }) =>
    path.some(
      ({ transition }) =>
        transition.source === source &&
        (transition.target === target || transition.target?.startsWith(`${target}.`)) &&
        (guard === null || transition.guard === guard),
    ),
  );
  return { states: path.map(({ from }) => from), bounds };
}
