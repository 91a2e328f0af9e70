import { useComputed } from '@preact/signals';
import type { ChartLayout } from '../api.types.ts';
import { briefly } from './format.ts';
import { chartTab, counts, coverage, currentState, hovered, say, stateFilter } from './state.ts';

type Edge = ChartLayout['edges'][number];
type Node = ChartLayout['states'][number];

const isActive = (id: string) => {
  const now = currentState.value;
  return now === id || now.startsWith(`${id}.`);
};

/** Each part follows the signals by itself: a step redraws only what it changes. */
export function StateNode({ node }: { node: Node }) {
  const { id, label, x, y, width, height, kind, detail } = node;
  const isCompound = kind === 'compound';
  const names = useComputed(() =>
    [
      `state state-${kind}`,
      isActive(id) ? 'active' : '',
      stateFilter.value === id ? 'filtered' : '',
      hovered.value?.state === id ? 'lit' : '',
    ].join(' '),
  );
  if (kind === 'initial')
    return <circle class="initial" cx={x + width / 2} cy={y + height / 2} r={width / 2} />;
  const middle = x + width / 2;
  const hasDetail = detail !== '' && !isCompound;
  return (
    <g
      class={names}
      data-state={id}
      onClick={() => {
        if (kind === 'anywhere') return;
        stateFilter.value = stateFilter.value === id ? '' : id;
      }}
      onMouseEnter={() => {
        hovered.value = { state: id };
      }}
      onMouseLeave={() => {
        hovered.value = null;
      }}
    >
      <rect x={x} y={y} width={width} height={height} rx={kind === 'final' ? 12 : 6} />
      {kind === 'final' && (
        <rect class="inner" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx={10} />
      )}
      <text x={middle} y={isCompound ? y + 15 : y + (hasDetail ? 15 : height / 2 + 4)}>
        {kind === 'anywhere' ? say('anyState') : label}
      </text>
      {hasDetail && (
        <text class="detail" x={middle} y={y + 28}>
          {detail}
        </text>
      )}
    </g>
  );
}

/** How often a transition was taken by this run, or by the generated paths. */
function timesOf(index: number): number {
  const file = chartTab.value === 'coverage' ? coverage.value : null;
  if (file !== null && file !== 'none') return file.taken[index] ?? 0;
  return counts.value.get(index) ?? 0;
}

function classOf({ transitions, kind }: Edge): string {
  if (transitions.length === 0) return 'edge';
  const isCoverage =
    chartTab.value === 'coverage' && coverage.value !== null && coverage.value !== 'none';
  const isTaken = transitions.some((index) => timesOf(index) > 0);
  const names = ['edge', `edge-${kind}`];
  if (isCoverage) {
    names.push(isTaken ? 'covered' : 'uncovered');
    if (transitions.some((index) => counts.value.has(index))) names.push('of-run');
  } else if (isTaken) names.push('taken');
  if (transitions.some((index) => hovered.value?.transitions?.includes(index))) names.push('lit');
  return names.join(' ');
}

function arrowOf(names: string): string {
  if (names.includes('lit')) return 'lit';
  if (names.includes('uncovered')) return 'bad';
  return /\b(taken|covered)\b/u.test(names) ? 'taken' : 'plain';
}

export function EdgeLine({ edge }: { edge: Edge }) {
  const names = useComputed(() => classOf(edge));
  const arrow = useComputed(() => `url(#arrow-${arrowOf(names.value)})`);
  return (
    <polyline
      class={names}
      points={edge.points.map((point) => point.join(',')).join(' ')}
      marker-end={arrow}
      onMouseEnter={() => {
        hovered.value = { transitions: edge.transitions };
      }}
      onMouseLeave={() => {
        hovered.value = null;
      }}
    />
  );
}

interface LabelProps {
  readonly label: Edge['labels'][number];
  readonly index: number;
}

export function Label({ label: { text, x, y }, index }: LabelProps) {
  const words = useComputed(() => {
    const times = timesOf(index);
    return times > 0 ? `${text} ×${briefly(times)}` : text;
  });
  const names = useComputed(() => (timesOf(index) > 0 ? 'label taken' : 'label'));
  return (
    <text class={names} x={x} y={y}>
      {words}
    </text>
  );
}
