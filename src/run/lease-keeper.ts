import type { Lease, LeaseRequest, RunStore } from './store/store.types.ts';

/** Whom the lease is from, on which terms, and by which clock. */
export interface LeaseKeeperOptions {
  readonly store: Pick<RunStore, 'renew'>;
  readonly request: LeaseRequest;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told what the store threw when it did not give the lease, or did not renew it. */
  readonly onLost: (thrown: unknown) => void;
}

/** Renews a lease three times in the time it lasts, until it is stopped. */
export class LeaseKeeper {
  /** The lease, once the store has given it. */
  readonly lease: Promise<Lease>;
  readonly #options: LeaseKeeperOptions;
  #timer: ReturnType<typeof setInterval> | null = null;
  #renewal: Promise<void> | null = null;
  #isStarting = true;
  #isStopped = false;
  /** When the lease was last asked for, by `now`, and given. */
  #heldSince: number;

  constructor(lease: Promise<Lease>, options: LeaseKeeperOptions) {
    this.lease = lease;
    this.#options = options;
    this.#heldSince = options.now();
    lease.then(() => this.#begin(), options.onLost);
  }

  /** Whether the store has not given the lease yet. */
  get isStarting(): boolean {
    return this.#isStarting;
  }

  /** Whether the lease has lapsed by our own clock: another process may have it. */
  get isLapsed(): boolean {
    const { now, request } = this.#options;
    return !this.#isStarting && now() - this.#heldSince >= request.ttl;
  }

  /** Renews the lease now. Never rejects: what the store throws is told to `onLost`. */
  renew(): Promise<void> {
    this.#renewal ??= this.#renewOnce().finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  /** Renews no more by itself. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #begin(): void {
    this.#isStarting = false;
    if (this.#isStopped) return;
    this.#timer = setInterval(() => void this.renew(), this.#options.request.ttl / 3);
    this.#timer.unref();
  }

  async #renewOnce(): Promise<void> {
    const { store, request, now, onLost } = this.#options;
    const askedAt = now();
    try {
      await store.renew(await this.lease, request.ttl);
      this.#heldSince = askedAt;
    } catch (thrown) {
      onLost(thrown);
    }
  }
}
