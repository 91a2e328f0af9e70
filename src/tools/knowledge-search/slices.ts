import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work after which whatever else waits in the process has its turn. */
const SLICE = 10;

/** Work in small steps: whoever drives it may pause, or stop, at each `yield`. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does the work at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does the work in slices, so that the event loop never stands still; stops when aborted. */
export async function inSlices<Result>(
  steps: Steps<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  let start = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - start < SLICE) continue;
    await setImmediate();
    start = performance.now();
  }
}
