import { LONGEST_TIMER } from '../../../machines/vocabulary/time.ts';

/** The engine's timeouts end calls, through their signal; the SDK's own must not come first. */
export const NEVER = LONGEST_TIMER;

/** A call under way. */
export interface OpenCall {
  readonly signal: AbortSignal;
  isLost(): boolean;
  close(): void;
}

/** The calls under way on one connection, so that losing it ends them all. */
export class OpenCalls {
  readonly #open = new Set<{ lose(): void }>();

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /**
   * A call that ends with `signal` or with the connection. Its own signal follows only until it is
   * closed: the SDK would tell the server of a call that was over long before.
   */
  open(signal: AbortSignal): OpenCall {
    const ending = new AbortController();
    const follow = () => ending.abort(signal.reason);
    if (signal.aborted) follow();
    signal.addEventListener('abort', follow, { once: true });
    let isLost = false;
    const call = {
      lose: () => {
        isLost = true;
        ending.abort();
      },
    };
    this.#open.add(call);
    return {
      signal: ending.signal,
      isLost: () => isLost,
      close: () => {
        signal.removeEventListener('abort', follow);
        this.#open.delete(call);
      },
    };
  }

  /** What ends the calls that are under way now, and none that is opened later. */
  underWay(): () => void {
    const calls = [...this.#open];
    return () => {
      for (const call of calls) call.lose();
    };
  }
}
