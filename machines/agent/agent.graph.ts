import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

/** A state of a chart. */
export interface GraphState {
  /** Such as `awaitPermission.asking`. */
  readonly id: string;
  readonly parent: string | null;
  readonly type: 'atomic' | 'compound' | 'final' | 'parallel' | 'history';
  readonly description: string;
  readonly tags: readonly string[];
  /** Sources of the actors it invokes. */
  readonly invokes: readonly string[];
  /** The sub-state entered first, if it has any. */
  readonly initial: string | null;
}

/** A transition of a chart. */
export interface GraphTransition {
  readonly source: string;
  /** Null for a transition that stays in its state. */
  readonly target: string | null;
  /** The event, in few words: `done: callModel`, `error: callModel`, or empty for `always`. */
  readonly event: string;
  readonly kind: 'event' | 'done' | 'error' | 'always';
  /** The guard, or null. */
  readonly guard: string | null;
  readonly actions: readonly string[];
}

/** A chart as data, in the order it is written. */
export interface Graph {
  readonly initial: string;
  readonly states: readonly GraphState[];
  readonly transitions: readonly GraphTransition[];
}

/** Reads a machine's chart, `always` transitions included (`toJSON` leaves those out). */
export function toGraph(machine: AnyStateMachine): Graph {
  const root = machine.root as AnyStateNode;
  const nodes = Object.values(root.states as Record<string, AnyStateNode>).flatMap(withDescendants);
  return {
    initial: localId(root.initial.target[0]),
    states: nodes.map(toState),
    transitions: transitionsInOrder(machine).map(toTransition),
  };
}

/** A machine's own transition objects, in the order of {@link Graph.transitions}. */
export function transitionsInOrder(machine: AnyStateMachine): AnyTransitionDefinition[] {
  const root = machine.root as AnyStateNode;
  const nodes = Object.values(root.states as Record<string, AnyStateNode>).flatMap(withDescendants);
  return [root, ...nodes].flatMap((node) => [
    ...[...node.transitions.values()].flat(),
    ...(node.always ?? []),
  ]);
}

function withDescendants(node: AnyStateNode): AnyStateNode[] {
  return [
    node,
    ...Object.values(node.states as Record<string, AnyStateNode>).flatMap(withDescendants),
  ];
}

function toState(node: AnyStateNode): GraphState {
  const [first] = node.type === 'compound' ? node.initial.target : [];
  return {
    id: localId(node),
    parent: node.parent?.parent ? localId(node.parent) : null,
    type: node.type,
    description: node.description ?? '',
    tags: [...node.tags],
    invokes: node.invoke.map(({ src }) => String(src)),
    initial: first ? localId(first) : null,
  };
}

function toTransition(transition: AnyTransitionDefinition): GraphTransition {
  const [target] = (transition.target ?? []) as AnyStateNode[];
  return {
    source: localId(transition.source),
    target: target ? localId(target) : null,
    ...eventOf(transition.eventType),
    guard: nameOf(transition.guard),
    actions: transition.actions.map((action) => nameOf(action) ?? ''),
  };
}

function eventOf(type: string): Pick<GraphTransition, 'event' | 'kind'> {
  if (type === '') return { event: '', kind: 'always' };
  const port = /^xstate\.(done|error)\.actor\.(.+)$/u.exec(type);
  if (port === null) return { event: type, kind: 'event' };
  const kind = port[1] === 'done' ? 'done' : 'error';
  return { event: `${kind}: ${port[2]}`, kind };
}

function nameOf(named: unknown): string | null {
  if (typeof named === 'string') return named;
  const type = (named as { type?: unknown } | undefined)?.type;
  return typeof type === 'string' ? type : null;
}

function localId(node: AnyStateNode | undefined): string {
  return node?.path.join('.') ?? '';
}

/**
 * A chart without its sub-states: what leads out of one leads out of its state, and what stays
 * inside is left out. For an overview; the whole chart says more.
 */
export function toOverview({ initial, states, transitions }: Graph): Graph {
  const outer = (id: string) => id.split('.')[0] ?? id;
  return {
    initial,
    states: states
      .filter(({ parent }) => parent === null)
      .map((state) => ({
        ...state,
        type: state.type === 'final' ? 'final' : 'atomic',
        initial: null,
      })),
    transitions: transitions
      .map((transition) => ({
        ...transition,
        source: outer(transition.source),
        target: transition.target === null ? null : outer(transition.target),
      }))
      .filter(({ source, target }) => target !== null && target !== source),
  };
}

/** The chart as a Mermaid state diagram, guards on the edges. */
export function toMermaid({ initial, states, transitions }: Graph): string {
  const lines = ['stateDiagram-v2', `  [*] --> ${initial}`];
  for (const state of states.filter(({ parent }) => parent === null)) {
    const children = states.filter(({ parent }) => parent === state.id);
    if (children.length > 0) {
      lines.push(`  state ${state.id} {`, `    [*] --> ${mermaidId(state.initial ?? '')}`);
      for (const child of children)
        lines.push(`    state "${lastName(child.id)}" as ${mermaidId(child.id)}`);
      lines.push('  }');
    }
    if (state.type === 'final') lines.push(`  ${state.id} --> [*]`);
  }
  for (const { source, target, label } of labelled(transitions)) {
    const from = source === '' ? 'anywhere' : mermaidId(source);
    lines.push(`  ${from} --> ${mermaidId(target)}${label === '' ? '' : ` : ${label}`}`);
  }
  return `${lines.join('\n')}\n`;
}

/** One edge for all transitions of the same ends. */
function labelled(transitions: readonly GraphTransition[]) {
  const edges = new Map<string, { source: string; target: string; labels: string[] }>();
  for (const { source, target, event, guard } of transitions) {
    const end = target ?? source;
    const key = `${source} ${end}`;
    const edge = edges.get(key) ?? { source, target: end, labels: [] };
    const label = [event.replace(': ', ' '), guard === null ? '' : `[${guard}]`].join(' ').trim();
    if (label !== '' && !edge.labels.includes(label)) edge.labels.push(label);
    edges.set(key, edge);
  }
  return [...edges.values()].map(({ source, target, labels }) => ({
    source,
    target,
    label: labels.join('<br/>'),
  }));
}

function mermaidId(id: string): string {
  return id.replaceAll('.', '_');
}

function lastName(id: string): string {
  return id.split('.').at(-1) ?? id;
}
