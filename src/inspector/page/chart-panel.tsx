import { useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ChartLayout } from '../api.types.ts';
import { boxSize, fit, followState, follows, panBy, viewBox, zoomBy } from './chart-view.ts';
import { CoverageList } from './coverage-list.tsx';
import { briefly } from './format.ts';
import {
  chartTab,
  counts,
  coverage,
  currentState,
  hovered,
  layout,
  say,
  stateFilter,
} from './state.ts';

type Edge = ChartLayout['edges'][number];
type Node = ChartLayout['states'][number];

export function ChartPanel() {
  const tab = chartTab.value;
  return (
    <section class="panel chart" aria-label={say('statechart')}>
      <div class="panel-head">
        <div role="tablist" class="tabs" aria-label={say('statechart')}>
          {(['chart', 'coverage'] as const).map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={tab === name}
              aria-controls="chart-view"
              onClick={() => {
                chartTab.value = name;
              }}
            >
              {say(name === 'chart' ? 'statechart' : 'coverage')}
            </button>
          ))}
        </div>
        <div class="zoom">
          <button type="button" aria-label={say('zoomIn')} onClick={() => zoomBy(1.25)}>
            +
          </button>
          <button type="button" aria-label={say('zoomOut')} onClick={() => zoomBy(0.8)}>
            −
          </button>
          <button type="button" onClick={fit}>
            {say('fit')}
          </button>
          <button
            type="button"
            aria-pressed={follows.value}
            onClick={() => {
              follows.value = !follows.value;
            }}
          >
            {say('follow')}
          </button>
        </div>
      </div>
      <div id="chart-view" role="tabpanel" class="chart-view">
        {tab === 'coverage' && <CoverageList />}
        <Chart />
      </div>
    </section>
  );
}

function Chart() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      boxSize.value = { width: element.clientWidth, height: element.clientHeight };
    });
    observer.observe(element);
    const zoom = (event: WheelEvent) => {
      event.preventDefault();
      zoomBy(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    };
    element.addEventListener('wheel', zoom, { passive: false });
    const stop = followState();
    return () => {
      observer.disconnect();
      stop();
      element.removeEventListener('wheel', zoom);
    };
  }, []);
  const chart = layout.value;
  const words = useComputed(() => `${say('statechart')}, ${say('nowIn')}: ${currentState.value}`);
  return (
    <div
      class="chart-box"
      ref={box}
      onPointerMove={({ buttons, movementX, movementY }) => {
        if (buttons === 1) panBy(movementX, movementY);
      }}
    >
      {chart === null ? (
        <p class="dim">{say('loading')}</p>
      ) : (
        <svg role="img" aria-label={words} viewBox={viewBox}>
          <defs>
            {['plain', 'taken', 'lit', 'bad'].map((name) => (
              <marker
                key={name}
                id={`arrow-${name}`}
                class={`arrow-${name}`}
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerWidth="8"
                markerHeight="8"
                markerUnits="userSpaceOnUse"
                orient="auto"
              >
                <path d="M0 0 L8 4 L0 8 z" />
              </marker>
            ))}
          </defs>
          {chart.states.filter(isCompound).map(toNode)}
          {chart.edges.map((edge) => (
            <EdgeLine key={`${edge.source} ${edge.target}`} edge={edge} />
          ))}
          {chart.states.filter((state) => !isCompound(state)).map(toNode)}
          {chart.edges.flatMap(({ labels, transitions }) =>
            labels.map((label, row) => {
              const index = transitions[row] ?? -1;
              return <Label key={`label ${index}`} label={label} index={index} />;
            }),
          )}
        </svg>
      )}
    </div>
  );
}

const isCompound = ({ kind }: Node) => kind === 'compound';
const toNode = (node: Node) => <StateNode key={node.id} node={node} />;

const isActive = (id: string) => {
  const now = currentState.value;
  return now === id || now.startsWith(`${id}.`);
};

/** Each part follows the signals by itself: a step redraws only what it changes. */
function StateNode({ node }: { node: Node }) {
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

function EdgeLine({ edge }: { edge: Edge }) {
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

function Label({ label: { text, x, y }, index }: LabelProps) {
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
