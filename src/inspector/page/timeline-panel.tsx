import { computed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { StepRow } from '../api.types.ts';
import { selectStep } from './actions.ts';
import { count, duration } from './format.ts';
import {
  currentStep,
  failedOnly,
  hideHooks,
  hovered,
  isLive,
  layout,
  say,
  selectedSeq,
  stateFilter,
  steps,
  visibleSteps,
  whatOf,
} from './state.ts';
import { scaleOf } from './timeline-scale.ts';

const ROW = 24;
/** Rows drawn beyond the window, so that scrolling shows no gap. */
const MORE = 8;

const scale = computed(() => scaleOf(steps.value));

export function TimelinePanel() {
  return (
    <section class="panel timeline" aria-label={say('timeline')}>
      <div class="panel-head">
        <h2>{say('timeline')}</h2>
        <Scrubber />
      </div>
      <Filters />
      <Rows />
    </section>
  );
}

function Scrubber() {
  const last = Math.max(0, steps.value.length - 1);
  const seq = selectedSeq.value ?? last;
  return (
    <div class="scrubber">
      <label for="scrubber">{say('step')}</label>
      <input
        id="scrubber"
        type="range"
        min={0}
        max={last}
        value={seq}
        onInput={({ currentTarget }) => selectStep(Number(currentTarget.value))}
      />
      <output for="scrubber">{say('stepOf', { seq, last })}</output>
      <button
        type="button"
        class="live"
        aria-pressed={isLive.value}
        onClick={() => selectStep(null)}
      >
        <span class="dot" aria-hidden="true" />
        {say('live')}
      </button>
    </div>
  );
}

function Filters() {
  const states = (layout.value?.states ?? []).filter(
    ({ kind }) => kind !== 'initial' && kind !== 'anywhere',
  );
  return (
    <div class="filters">
      <label>
        <input
          type="checkbox"
          checked={failedOnly.value}
          onChange={({ currentTarget }) => {
            failedOnly.value = currentTarget.checked;
          }}
        />
        {say('failedOnly')}
      </label>
      <label>
        <input
          type="checkbox"
          checked={hideHooks.value}
          onChange={({ currentTarget }) => {
            hideHooks.value = currentTarget.checked;
          }}
        />
        {say('hideHooks')}
      </label>
      <label>
        {say('state')}{' '}
        <select
          value={stateFilter.value}
          onChange={({ currentTarget }) => {
            stateFilter.value = currentTarget.value;
          }}
        >
          <option value="">{say('anyStateOption')}</option>
          {states.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** Only the rows in view are in the document: 5,000 would cost more than a frame per key. */
function Rows() {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(400);
  const rows = visibleSteps.value;
  const currentSeq = currentStep.value?.seq ?? -1;
  const current = rows.findIndex(({ seq }) => seq === currentSeq);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current;
    if (element === null || current < 0) return;
    const y = current * ROW;
    const isAbove = y < element.scrollTop;
    const isBelow = y + ROW > element.scrollTop + element.clientHeight;
    if (isAbove) element.scrollTop = y;
    if (isBelow) element.scrollTop = y + ROW - element.clientHeight;
    top.value = element.scrollTop;
  }, [current, rows.length]);

  if (steps.value.length > 0 && rows.length === 0) return <p class="dim">{say('noSteps')}</p>;
  const first = Math.max(0, Math.floor(top.value / ROW) - MORE);
  const last = Math.min(rows.length, Math.ceil((top.value + height.value) / ROW) + MORE);
  return (
    <div
      class="rows"
      ref={box}
      role="group"
      tabIndex={0}
      aria-label={say('timeline')}
      onScroll={({ currentTarget }) => {
        top.value = currentTarget.scrollTop;
      }}
    >
      <div class="rows-all" style={{ height: `${rows.length * ROW}px` }}>
        {rows.slice(first, last).map((row, index) => (
          <Row
            key={row.seq}
            row={row}
            y={(first + index) * ROW}
            isCurrent={row.seq === currentSeq}
          />
        ))}
      </div>
    </div>
  );
}

function Row({ row, y, isCurrent }: { row: StepRow; y: number; isCurrent: boolean }) {
  const { seq, kind, ms, failed, tokens } = row;
  const { left, width } = scale.value.bar(row);
  const idle = scale.value.idleBefore(row);
  const label = ms === null ? '' : duration(ms);
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`row kind-${kind}${failed ? ' row-failed' : ''}${isLit(row) ? ' lit' : ''}`}
      style={{ top: `${y}px` }}
      aria-current={isCurrent ? 'step' : undefined}
      data-seq={seq}
      onClick={() => selectStep(seq)}
      onMouseEnter={() => {
        hovered.value = { seq, state: row.state, transitions: row.transitions };
      }}
      onMouseLeave={() => {
        hovered.value = null;
      }}
    >
      <span class="row-what">
        <span class="row-kind">{say(kind)}</span> {failed && <span class="mark">✗ </span>}
        {whatOf(row)}
      </span>
      <span class="row-bar" aria-hidden="true">
        <span class="bar" style={{ left: `${left * 100}%`, width: `max(2px, ${width * 100}%)` }} />
      </span>
      <span class="row-ms">
        {label}
        {idle > 0 && ms === null && say('gap', { time: duration(idle) })}
      </span>
      <span class="row-tokens">
        {tokens !== null && `${side(tokens.input)}→${side(tokens.output)}`}
      </span>
    </button>
  );
}

const side = (value: number | 'unknown') => (value === 'unknown' ? '?' : count(value));

/** Whether what the pointer is on, anywhere, is this step. */
function isLit({ seq, state, transitions }: StepRow): boolean {
  const on = hovered.value;
  if (on === null) return false;
  if (on.seq !== undefined) return on.seq === seq;
  if (on.state !== undefined) return state === on.state || state.startsWith(`${on.state}.`);
  return transitions.some((index) => on.transitions?.includes(index));
}
