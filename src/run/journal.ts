import { AGENT_MACHINE_VERSION, type AgentSnapshot } from '../../machines/agent/agent.machine.ts';
import type { AgentInput } from '../../machines/agent/agent.types.ts';
import { AgentHubError, type ErrorData, toErrorData } from '../../machines/vocabulary/errors.ts';
import type { JsonObject } from '../../machines/vocabulary/json.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import type { AnswerResult } from './run.types.ts';
import type {
  Lease,
  LeaseRequest,
  LogRecord,
  RunStatus,
  RunStore,
  SettledAnswer,
  StartRecord,
} from './store/store.types.ts';

/** A record before it has its place in the log. */
type NewRecord =
  | { readonly kind: 'event'; readonly event: JsonObject & { readonly type: string } }
  | { readonly kind: 'intent'; readonly callId: string; readonly attempt: number };

/** What a journal writes to, and by which clock. */
export interface JournalOptions {
  readonly store: RunStore;
  readonly request: LeaseRequest;
  readonly now: () => number;
}

/** What a journal goes on with. */
export interface ResumedLog {
  readonly lease: Lease;
  readonly log: readonly LogRecord[];
  /** What the log folds to. */
  readonly snapshot: Pick<AgentSnapshot, 'context'>;
}

/**
 * Writes one run's log. Records are written in order; what comes while a write is under way goes
 * with the next. The first write that fails breaks the journal for good: from then on nothing is
 * written, `ready` and `intend` reject, and whoever listens is told once.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #intents = new Set<string>();
  /** Starts that were decided on before this journal took the run up. */
  readonly #outdated = new Set<string>();
  readonly #keeper: LeaseKeeper;
  #next: number;
  #queue: LogRecord[] = [];
  #status: RunStatus | undefined;
  #settled: SettledAnswer[] = [];
  #durable = false;
  #flushing: Promise<void> | null = null;
  #failure: AgentHubError | null = null;
  #onBroken: (error: ErrorData) => void = () => {};

  private constructor(options: JournalOptions, lease: Promise<Lease>, log: readonly LogRecord[]) {
    this.#options = options;
    this.#next = log.length;
    for (const record of log)
      if (record.kind === 'intent') this.#intents.add(intentKey(record.callId, record.attempt));
    const onLost = (thrown: unknown) => this.#break(thrown);
    this.#keeper = new LeaseKeeper(lease, { ...options, onLost });
  }

  /** Begins the log of a new run. */
  static start(options: JournalOptions, input: AgentInput): Journal {
    const start: StartRecord = {
      seq: 0,
      at: options.now(),
      kind: 'start',
      machineVersion: AGENT_MACHINE_VERSION,
      input,
    };
    const { store, request } = options;
    // Also a store that throws at once has a log that could not be begun.
    const lease = new Promise<Lease>((resolve) => resolve(store.create(start, request)));
    return new Journal(options, lease, [start]);
  }

  /** Goes on with a log, under a lease that is held already. */
  static resume(options: JournalOptions, { lease, log, snapshot }: ResumedLog): Journal {
    const journal = new Journal(options, Promise.resolve(lease), log);
    for (const { id, stage, starts } of snapshot.context.calls)
      if (stage === 'running') journal.#outdated.add(intentKey(id, starts));
    return journal;
  }

  /** Calls back once, when the journal breaks; at once, if it is broken. */
  onBroken(callback: (error: ErrorData) => void): void {
    this.#onBroken = callback;
    if (this.#failure !== null) callback(toErrorData(this.#failure, 'store_failed'));
  }

  /** Writes an event of the run's actor. */
  event(event: { readonly type: string }): void {
    let written: JsonObject & { readonly type: string };
    try {
      written = JSON.parse(JSON.stringify(event));
    } catch (thrown) {
      // What cannot be written down must not take effect either.
      this.#break(thrown);
      return;
    }
    this.#add({ kind: 'event', event: written });
  }

  /** Says where the run stands, for lists; written with the next records or by itself. */
  status(status: RunStatus): void {
    this.#status = status;
    this.#flush();
  }

  /** Says what became of an answer from the inbox; written with what it led to, or not at all. */
  settle(id: number, result: AnswerResult): void {
    this.#settled.push({ id, result });
    this.#flush();
  }

  /** Whether the store has not said yet that the log is begun. */
  get isStarting(): boolean {
    return this.#keeper.isStarting;
  }

  /** Whether the lease has lapsed by our own clock: somebody may have taken the run over. */
  get isLapsed(): boolean {
    return this.#failure === null && this.#keeper.isLapsed;
  }

  /** Breaks the journal: another has the lease. */
  lose(error: AgentHubError): void {
    this.#break(error);
  }

  /** As `ready`, under a lease that is known to hold. */
  async confirm(): Promise<void> {
    if (this.isLapsed) await this.#keeper.renew();
    return this.ready();
  }

  /** Resolves once everything told so far is written. Rejects when the journal is broken. */
  async ready(): Promise<void> {
    while (this.#failure === null && this.#flush() !== null) await this.#flushing;
    if (this.#failure !== null) throw this.#failure;
    await this.#keeper.lease;
  }

  /** Whether the log holds the intent of a start: an earlier process may have started the call. */
  hasIntent(callId: string, attempt: number): boolean {
    return this.#intents.has(intentKey(callId, attempt));
  }

  /** Whether a start was decided on before the run was taken up. Told once: it is decided on anew. */
  takeOutdated(callId: string, attempt: number): boolean {
    return this.#outdated.delete(intentKey(callId, attempt));
  }

  /** Puts on disk that a call is about to start, unless the log says so already. */
  async intend(callId: string, attempt: number): Promise<void> {
    await this.ready();
    if (this.hasIntent(callId, attempt)) return;
    this.#intents.add(intentKey(callId, attempt));
    this.#durable = true;
    this.#add({ kind: 'intent', callId, attempt });
    await this.ready();
  }

  /** Writes what is left and gives the lease back. Resolves with the failure, if there is one. */
  async close(): Promise<ErrorData | null> {
    try {
      await this.ready();
    } catch {
      // Told below.
    }
    this.#keeper.stop();
    try {
      await this.#options.store.release(await this.#keeper.lease);
    } catch (thrown) {
      // All is written; a lease that is not given back lapses by itself.
      if (thrown instanceof AgentHubError && thrown.code === 'lease_lost') this.#failure ??= thrown;
    }
    return this.#failure && toErrorData(this.#failure, 'store_failed');
  }

  #add(record: NewRecord): void {
    if (this.#failure !== null) return;
    this.#queue.push({ seq: this.#next, at: this.#options.now(), ...record } as LogRecord);
    this.#next += 1;
    this.#flush();
  }

  /** Starts writing unless a write is under way; null when there is nothing to write. */
  #flush(): Promise<void> | null {
    if (this.#failure !== null) return null;
    if (this.#flushing !== null) return this.#flushing;
    if (!this.#hasWork()) return null;
    this.#flushing = this.#writeAll().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  async #writeAll(): Promise<void> {
    try {
      const lease = await this.#keeper.lease;
      while (this.#hasWork()) {
        const [records, settled] = [this.#queue, this.#settled];
        const [durable, status] = [this.#durable, this.#status];
        this.#queue = [];
        this.#settled = [];
        this.#durable = false;
        this.#status = undefined;
        const { store } = this.#options;
        await store.append(lease, records, { durable, settled, ...(status && { status }) });
      }
    } catch (thrown) {
      this.#break(thrown);
    }
  }

  #hasWork(): boolean {
    return this.#queue.length > 0 || this.#settled.length > 0 || this.#status !== undefined;
  }

  #break(thrown: unknown): void {
    if (this.#failure !== null) return;
    const { code, message, details } = toErrorData(thrown, 'store_failed');
    this.#failure = new AgentHubError(code, message, details as JsonObject | undefined);
    this.#keeper.stop();
    this.#queue = [];
    this.#onBroken(toErrorData(this.#failure, code));
  }
}

function intentKey(callId: string, attempt: number): string {
  return `${callId}/${attempt}`;
}
