import type { StepRow } from '../api.types.ts';

/** Milliseconds from one step to the next beyond which the rest is idle and drawn short. */
const IDLE = 5_000;

/** Where steps lie on the compressed axis, from 0 to 1. */
export interface Scale {
  /** Of a step's bar, by its place in the whole list. */
  bar(row: StepRow): { readonly left: number; readonly width: number };
  /** Idle milliseconds left out just before a step; 0 for none. */
  idleBefore(row: StepRow): number;
}

/** Lays steps on a time axis on which long waits take no more than {@link IDLE}. */
export function scaleOf(steps: readonly StepRow[]): Scale {
  const places = new Float64Array(steps.length);
  const idle = new Float64Array(steps.length);
  for (let index = 1; index < steps.length; index += 1) {
    const passed = Math.max(0, (steps[index]?.at ?? 0) - (steps[index - 1]?.at ?? 0));
    idle[index] = Math.max(0, passed - IDLE);
    places[index] = (places[index - 1] ?? 0) + Math.min(passed, IDLE);
  }
  const whole = places.at(-1) || 1;
  /** The place of a moment: between two steps by proportion. */
  const placeOf = (at: number): number => {
    let [low, high] = [0, steps.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((steps[middle]?.at ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    const [from, to] = [steps[low], steps[low + 1]];
    const start = places[low] ?? 0;
    if (from === undefined || to === undefined || to.at <= from.at || at <= from.at) return start;
    const end = places[low + 1] ?? start;
    return start + ((at - from.at) / (to.at - from.at)) * (end - start);
  };
  return {
    bar({ seq, at, ms }) {
      const end = places[seq] ?? 0;
      const start = ms === null ? end : placeOf(at - ms);
      return { left: start / whole, width: Math.max(0, end - start) / whole };
    },
    idleBefore: ({ seq }) => idle[seq] ?? 0,
  };
}
