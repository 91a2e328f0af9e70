import { AsyncLocalStorage } from 'node:async_hooks';
import { LONGEST_TIMER } from '../../../machines/vocabulary/time.ts';

/** The engine's timeouts end calls, through their signal; the SDK's own must not come first. */
export const NEVER = LONGEST_TIMER;

/**
 * Why a call gets no answer: its connection has gone, what was answered is too long, breaks off, or
 * is no message of the protocol.
 */
export type Loss = 'gone' | 'too_long' | 'broken_off' | 'malformed';

/** A call under way. */
export interface OpenCall {
  readonly signal: AbortSignal;
  /** Why it gets no answer any more; null while it may get one. */
  readonly loss: Loss | null;
  lose(loss: Loss): void;
  close(): void;
  /** Does the request; what its answer meets on the way can be told by {@link OpenCalls.current}. */
  request<Value>(work: () => Promise<Value>): Promise<Value>;
}

const current = new AsyncLocalStorage<OpenCall | undefined>();

/** The calls under way on one connection, so that losing it ends them all. */
export class OpenCalls {
  readonly #open = new Set<OpenCall>();
  #drained: () => void = () => {};

  /** The call that is answered where this is asked, if one is. */
  static current(): OpenCall | undefined {
    return current.getStore();
  }

  /** Does work that outlives the call in which it is started. */
  static aside<Value>(work: () => Value): Value {
    return current.run(undefined, work);
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** The call under way, when there is just one. */
  get only(): OpenCall | undefined {
    return this.#open.size === 1 ? [...this.#open][0] : undefined;
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
    let loss: Loss | null = null;
    const call: OpenCall = {
      signal: ending.signal,
      get loss() {
        return loss;
      },
      lose: (why) => {
        if (!this.#open.has(call)) return;
        loss ??= why;
        ending.abort();
      },
      close: () => {
        signal.removeEventListener('abort', follow);
        this.#open.delete(call);
        if (this.isEmpty) this.#drained();
      },
      request: (work) => current.run(call, work),
    };
    this.#open.add(call);
    return call;
  }

  /** Ends the calls that are under way now, and none that is opened later. */
  underWay(): (loss: Loss) => void {
    const calls = [...this.#open];
    return (loss) => {
      for (const call of calls) call.lose(loss);
    };
  }

  /** Resolves when no call is under way; there must be no new one. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained = resolve;
      if (this.isEmpty) resolve();
    });
  }
}
