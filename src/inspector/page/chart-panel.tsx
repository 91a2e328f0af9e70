import { useEffect, useRef } from 'preact/hooks';
import type { ChartLayout } from '../api.types.ts';
import { boxSize, fit, followState, follows, panBy, viewBox, zoomBy } from './chart-view.ts';
import { CoverageList } from './coverage-list.tsx';
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
  const word = `${say('statechart')}, ${say('nowIn')}: ${currentState.value}`;
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
        <svg role="img" aria-label={word} viewBox={viewBox.value}>
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
          {chart.states.filter(({ kind }) => kind === 'compound').map(drawState)}
          {chart.edges.map(drawEdge)}
          {chart.states.filter(({ kind }) => kind !== 'compound').map(drawState)}
          {chart.edges.map(drawLabels)}
        </svg>
      )}
    </div>
  );
}

const isActive = (id: string) => {
  const now = currentState.value;
  return now === id || now.startsWith(`${id}.`);
};

function drawState({ id, label, x, y, width, height, kind, detail }: Node) {
  if (kind === 'initial')
    return <circle key={id} class="initial" cx={x + width / 2} cy={y + height / 2} r={width / 2} />;
  const isCompound = kind === 'compound';
  const names = [
    `state state-${kind}`,
    isActive(id) ? 'active' : '',
    stateFilter.value === id ? 'filtered' : '',
    hovered.value?.state === id ? 'lit' : '',
  ];
  const middle = x + width / 2;
  const hasDetail = detail !== '' && !isCompound;
  return (
    <g
      key={id}
      class={names.join(' ')}
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

/** How often a line was taken by this run, or by the generated paths. */
function timesOf({ transitions }: Edge): number {
  const file = chartTab.value === 'coverage' ? coverage.value : null;
  const times = (index: number) =>
    file !== null && file !== 'none' ? (file.taken[index] ?? 0) : (counts.value.get(index) ?? 0);
  return transitions.reduce((sum, index) => sum + times(index), 0);
}

function classOf(edge: Edge): string {
  if (edge.transitions.length === 0) return 'edge';
  const isCoverage =
    chartTab.value === 'coverage' && coverage.value !== null && coverage.value !== 'none';
  const isTaken = timesOf(edge) > 0;
  const isOfRun = edge.transitions.some((index) => counts.value.has(index));
  const isLit = edge.transitions.some((index) => hovered.value?.transitions?.includes(index));
  const names = ['edge', `edge-${edge.kind}`];
  if (isCoverage) {
    names.push(isTaken ? 'covered' : 'uncovered');
    if (isOfRun) names.push('of-run');
  } else if (isTaken) names.push('taken');
  if (isLit) names.push('lit');
  return names.join(' ');
}

function drawEdge(edge: Edge) {
  const names = classOf(edge);
  const arrow = names.includes('lit')
    ? 'lit'
    : names.includes('uncovered')
      ? 'bad'
      : /\b(taken|covered)\b/u.test(names)
        ? 'taken'
        : 'plain';
  const points = edge.points.map((point) => point.join(',')).join(' ');
  return (
    <polyline
      key={`${edge.source} ${edge.target}`}
      class={names}
      points={points}
      marker-end={edge.points.length > 0 ? `url(#arrow-${arrow})` : undefined}
      onMouseEnter={() => {
        hovered.value = { transitions: edge.transitions };
      }}
      onMouseLeave={() => {
        hovered.value = null;
      }}
    />
  );
}

function drawLabels(edge: Edge) {
  const file = chartTab.value === 'coverage' ? coverage.value : null;
  return edge.labels.map(({ text, x, y }, row) => {
    const index = edge.transitions[row] ?? -1;
    const times = file !== null && file !== 'none' ? file.taken[index] : counts.value.get(index);
    const isTaken = (times ?? 0) > 0;
    return (
      <text key={`${edge.source} ${index}`} class={`label${isTaken ? ' taken' : ''}`} x={x} y={y}>
        {text}
        {isTaken && ` ×${times}`}
      </text>
    );
  });
}
