import { computed, effect, signal } from '@preact/signals';
import { currentState, layout } from './state.ts';

/** The part of the chart in view: its middle in chart units, and pixels per unit. */
export const view = signal({ x: 0, y: 0, scale: 1 });
/** Pixels of the box the chart is drawn in. */
export const boxSize = signal({ width: 0, height: 0 });
/** Whether the view moves with the active state. */
export const follows = signal(true);

const SMALLEST = 0.15;
const LARGEST = 4;
/** Below it, labels cannot be read. */
const READABLE = 0.7;
const COMFORTABLE = 0.9;

/** The scale at which the whole chart is in view. */
const fitScale = computed(() => {
  const chart = layout.value;
  const { width, height } = boxSize.value;
  if (chart === null || width === 0) return 1;
  return Math.min(1, width / chart.width, height / chart.height);
});

/** A transform of the chart, not a view box: moving that would lay out every label again. */
export const placement = computed(() => {
  const { x, y, scale } = view.value;
  const { width, height } = boxSize.value;
  const [left, top] = [width / 2 - x * scale, height / 2 - y * scale];
  return `translate(${left.toFixed(1)} ${top.toFixed(1)}) scale(${scale})`;
});

/** Shows the whole chart and stops following. */
export function fit(): void {
  follows.value = false;
  const chart = layout.value;
  if (chart === null) return;
  view.value = { x: chart.width / 2, y: chart.height / 2, scale: fitScale.value };
}

export function zoomBy(factor: number): void {
  const scale = Math.max(SMALLEST, Math.min(LARGEST, view.value.scale * factor));
  view.value = { ...view.value, scale };
}

/** Moves the chart by pixels, as dragged. */
export function panBy(dx: number, dy: number): void {
  follows.value = false;
  const { x, y, scale } = view.value;
  view.value = { x: x - dx / scale, y: y - dy / scale, scale };
}

/** Keeps the active state in the middle while following. */
export function followState(): () => void {
  return effect(() => {
    const chart = layout.value;
    const { width, height } = boxSize.value;
    if (chart === null || width === 0 || !follows.value) return;
    const state = chart.states.find(({ id }) => id === currentState.value);
    const scale = Math.max(
      fitScale.value,
      READABLE,
      Math.min(COMFORTABLE, (width / chart.width) * 1.6),
    );
    const half = width / scale / 2;
    // Where nothing is lit yet, the chart is seen from its start.
    const shown = state ?? chart.states.find(({ kind }) => kind === 'initial');
    const x = shown ? shown.x + shown.width / 2 : chart.width / 2;
    const y = state ? state.y + state.height / 2 : height / scale / 2;
    const middle = chart.width / 2;
    const inside = half * 2 >= chart.width ? middle : clamp(x, half, chart.width - half);
    view.value = { x: inside, y, scale };
  });
}

const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));
