import { useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ChartLayout } from '../api.types.ts';
import { EdgeLine, Label, StateNode } from './chart-parts.tsx';
import { boxSize, fit, followState, follows, panBy, placement, zoomBy } from './chart-view.ts';
import { CoverageList } from './coverage-list.tsx';
import { chartTab, currentState, layout, say } from './state.ts';

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

/** Pixels that an arrow key moves the chart by: the view goes where it points. */
const PANS: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  ArrowLeft: [60, 0],
  ArrowRight: [-60, 0],
  ArrowUp: [0, 60],
  ArrowDown: [0, -60],
};

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
      role="group"
      tabIndex={0}
      aria-label={say('panHint')}
      onKeyDown={(event) => {
        const by = PANS[event.key];
        if (by === undefined) return;
        event.preventDefault();
        panBy(...by);
      }}
      onPointerMove={({ buttons, movementX, movementY }) => {
        if (buttons === 1) panBy(movementX, movementY);
      }}
    >
      {chart === null ? (
        <p class="dim">{say('loading')}</p>
      ) : (
        <svg role="img" aria-label={words}>
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
          <g transform={placement}>
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
          </g>
        </svg>
      )}
    </div>
  );
}

const isCompound = ({ kind }: Node) => kind === 'compound';
const toNode = (node: Node) => <StateNode key={node.id} node={node} />;
