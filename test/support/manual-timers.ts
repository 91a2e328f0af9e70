import type { Timers } from '../../src/support/abort.ts';

export interface ManualTimers extends Timers {
  /** How many have been started and have neither rung nor been stopped. */
  readonly running: number;
  /** Lets so many milliseconds pass. */
  pass(ms: number): void;
  /** Resolves when the next timer is started. */
  nextStart(): Promise<void>;
}

/** Timers whose time passes only when a test says so. */
export function manualTimers(): ManualTimers {
  let now = 0;
  let started = (): void => {};
  const waiting = new Map<object, { readonly at: number; readonly callback: () => void }>();
  return {
    start(callback, ms) {
      const timer = {};
      waiting.set(timer, { at: now + ms, callback });
      started();
      return timer;
    },
    stop: (timer) => void waiting.delete(timer as object),
    nextStart: () =>
      new Promise<void>((resolve) => {
        started = resolve;
      }),
    get running() {
      return waiting.size;
    },
    pass(ms) {
      now += ms;
      for (const [timer, { at, callback }] of [...waiting]) {
        if (at > now) continue;
        waiting.delete(timer);
        callback();
      }
    },
  };
}
