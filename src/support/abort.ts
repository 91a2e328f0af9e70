/** What starts and stops timers; the global ones unless a test brings its own. */
export interface Timers {
  /** Calls back once after so many milliseconds; gives what `stop` takes. */
  start(callback: () => void, ms: number): unknown;
  stop(timer: unknown): void;
}

const GLOBAL_TIMERS: Timers = {
  start: (callback, ms) => setTimeout(callback, ms),
  stop: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

export interface TimeLimitOptions {
  /** Aborts the limit's signal too, with the same reason. */
  readonly signal?: AbortSignal;
  /** What the limit's signal aborts with when the time is over; an `AbortError` by default. */
  readonly reason?: () => unknown;
  readonly timers?: Timers;
}

/** A time that work may take. */
export interface TimeLimit {
  /** Aborts when the time is over, or as the signal does that was given. */
  readonly signal: AbortSignal;
  /** Whether it was the time, and not the signal that was given. */
  isTimeout(): boolean;
  /** Starts the time anew: something was heard of the work. */
  renew(): void;
  /** The work is over: nothing aborts any more, and no timer is left behind. */
  end(): void;
  /** The same, and what still goes on of the work is told to stop. */
  abandon(): void;
}

/** Starts a time limit of `ms` milliseconds. Whoever starts it ends it. */
export function timeLimit(
  ms: number,
  { signal, reason, timers = GLOBAL_TIMERS }: TimeLimitOptions = {},
): TimeLimit {
  const controller = new AbortController();
  let isOver = false;
  const follow = () => controller.abort(signal?.reason);
  const expire = () => {
    isOver = true;
    controller.abort(reason?.());
  };
  if (signal?.aborted) follow();
  else signal?.addEventListener('abort', follow, { once: true });
  let timer = timers.start(expire, ms);
  const end = () => {
    timers.stop(timer);
    signal?.removeEventListener('abort', follow);
  };
  return {
    signal: controller.signal,
    isTimeout: () => isOver && signal?.aborted !== true,
    renew() {
      timers.stop(timer);
      timer = timers.start(expire, ms);
    },
    end,
    abandon() {
      end();
      controller.abort();
    },
  };
}

/**
 * The work's result, or the signal's reason as soon as it aborts, whatever the work does. Work that
 * fails later, or had failed before, is heard out from the start: a rejection that nobody waits for
 * would end the process.
 */
export function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const leave = () => reject(signal.reason);
    const done = () => signal.removeEventListener('abort', leave);
    work.then(resolve, reject).then(done, done);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
