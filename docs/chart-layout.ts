import { createHash } from 'node:crypto';
import elk, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk.bundled.js';
import type { Graph, GraphTransition } from '../machines/agent/agent.graph.ts';
import type { ChartLayout } from '../src/inspector/api.types.ts';

/** Raise it whenever the layout comes out otherwise for the same graph. */
const LAYOUT_VERSION = 1;
const ROW = 13;
const ANYWHERE = '@anywhere';

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST',
  'elk.layered.compaction.postCompaction.strategy': 'EDGE_LENGTH',
  'elk.spacing.nodeNode': '12',
  'elk.spacing.edgeNode': '10',
  'elk.spacing.edgeEdge': '8',
  'elk.spacing.edgeLabel': '1',
  'elk.layered.spacing.nodeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeNodeBetweenLayers': '10',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
  'elk.padding': '[top=24,left=10,bottom=10,right=10]',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
};

/** What a layout is made from: the same hash, the same layout. */
export function layoutHash(graph: Graph): string {
  const text = JSON.stringify({ LAYOUT_VERSION, OPTIONS, graph });
  return createHash('sha256').update(text).digest('hex');
}

interface Line {
  readonly source: string;
  readonly target: string;
  kind: GraphTransition['kind'];
  readonly transitions: number[];
  readonly rows: string[];
}

/** Computes where everything of a chart is drawn. Takes about a second. */
export async function layoutChart(graph: Graph): Promise<ChartLayout> {
  const lines = linesOf(graph);
  const dots = graph.states.flatMap(({ id, initial }) =>
    initial === null ? [] : [{ id, initial }],
  );
  const nodeOf = (id: string): ElkNode => {
    const state = graph.states.find((candidate) => candidate.id === id);
    const children = graph.states.filter(({ parent }) => parent === id);
    if (children.length === 0) return { id, ...sizeOf(lastName(id), state?.invokes ?? []) };
    return {
      id,
      layoutOptions: OPTIONS,
      children: [...children.map((child) => nodeOf(child.id)), dot(`${id}.@initial`)],
    };
  };
  const root: ElkNode = {
    id: 'root',
    layoutOptions: { ...OPTIONS, 'elk.padding': '[top=10,left=10,bottom=10,right=10]' },
    children: [
      dot('@initial'),
      ...graph.states.filter(({ parent }) => parent === null).map(({ id }) => nodeOf(id)),
      { id: ANYWHERE, width: 74, height: 24 },
    ],
    edges: [
      edge('i', '@initial', graph.initial),
      ...dots.map(({ id, initial }, index) => edge(`i${index}`, `${id}.@initial`, initial)),
      ...lines.map((line, index) => ({
        ...edge(`e${index}`, line.source, line.target),
        labels: [
          {
            text: 'rows',
            layoutOptions: { 'elk.edgeLabels.inline': 'true' },
            width: Math.max(...line.rows.map(textWidth)) + 14,
            height: line.rows.length * ROW,
          },
        ],
      })),
    ],
  };
  const Elk = elk as unknown as new () => { layout(node: ElkNode): Promise<ElkNode> };
  return toLayout(await new Elk().layout(root), { graph, lines });
}

/** One line for all transitions of the same ends and kind. */
function linesOf({ transitions }: Graph): Line[] {
  const lines = new Map<string, Line>();
  transitions.forEach(({ source, target, event, guard, kind }, index) => {
    const from = source === '' ? ANYWHERE : source;
    const to = target ?? from;
    const key = `${from} ${to}`;
    const line = lines.get(key) ?? { source: from, target: to, kind, transitions: [], rows: [] };
    // A line that any success takes is drawn as one of success.
    if (line.kind === 'error') line.kind = kind;
    line.transitions.push(index);
    line.rows.push(labelOf({ event, guard, kind }));
    lines.set(key, line);
  });
  return [...lines.values()];
}

function labelOf({
  event,
  guard,
  kind,
}: Pick<GraphTransition, 'event' | 'guard' | 'kind'>): string {
  if (kind === 'always') return guard ?? 'else';
  const sign = { done: '✓', error: '✗', event: '' }[kind];
  const word = kind === 'event' || event.includes('*') ? event.replace(/^\w+: /u, '') : '';
  return [sign, word, guard ?? ''].filter((part) => part !== '').join(' ');
}

function toLayout(
  drawn: ElkNode,
  { graph, lines }: { graph: Graph; lines: readonly Line[] },
): ChartLayout {
  const round = (value: number | undefined) => Math.round((value ?? 0) * 10) / 10;
  const states: ChartLayout['states'][number][] = [];
  const visit = (node: ElkNode) => {
    const state = graph.states.find(({ id }) => id === node.id);
    const { x, y, width, height } = node;
    if (node.id !== 'root')
      states.push({
        id: node.id,
        label: state ? lastName(node.id) : '',
        ...{ x: round(x), y: round(y), width: round(width), height: round(height) },
        kind: kindOf(node),
        detail: node.children?.length ? '' : (state?.invokes ?? []).join(', '),
      });
    for (const child of node.children ?? []) visit(child);
  };
  const kindOf = ({ id, children }: ElkNode) => {
    if (id === ANYWHERE) return 'anywhere';
    if (id.endsWith('@initial')) return 'initial';
    if (children?.length) return 'compound';
    return graph.states.find((state) => state.id === id)?.type === 'final' ? 'final' : 'atomic';
  };
  visit(drawn);
  const edges = (drawn.edges ?? []).map((elkEdge): ChartLayout['edges'][number] => {
    const [section] = elkEdge.sections ?? [];
    const points = section
      ? [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]
      : [];
    const line = elkEdge.id.startsWith('e') ? lines[Number(elkEdge.id.slice(1))] : undefined;
    const [label] = elkEdge.labels ?? [];
    return {
      source: elkEdge.sources[0] ?? '',
      target: elkEdge.targets[0] ?? '',
      transitions: line?.transitions ?? [],
      kind: line?.kind ?? 'always',
      points: points.map(({ x, y }) => [round(x), round(y)] as const),
      labels: (line?.rows ?? []).map((text, index) => ({
        text,
        x: round((label?.x ?? 0) + (label?.width ?? 0) / 2),
        y: round((label?.y ?? 0) + (index + 0.75) * ROW),
      })),
    };
  });
  return {
    hash: layoutHash(graph),
    width: Math.ceil(drawn.width ?? 0),
    height: Math.ceil(drawn.height ?? 0),
    states,
    edges,
  };
}

const dot = (id: string): ElkNode => ({ id, width: 8, height: 8 });

function edge(id: string, source: string, target: string): ElkExtendedEdge {
  return { id, sources: [source], targets: [target] };
}

function sizeOf(label: string, invokes: readonly string[]) {
  const width = Math.max(textWidth(label) * 1.2, ...invokes.map(textWidth)) + 20;
  return { width: Math.max(64, Math.ceil(width)), height: invokes.length > 0 ? 36 : 26 };
}

/** Generous, for 10 px of any sans-serif font. */
function textWidth(text: string): number {
  return text.length * 5.9;
}

function lastName(id: string): string {
  return id.split('.').at(-1) ?? id;
}
