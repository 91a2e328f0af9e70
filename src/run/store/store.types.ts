import type { AgentInput, Limits, PublicEvent } from '../../../machines/agent/agent.types.ts';
import type { JsonObject } from '../../../machines/vocabulary/json.ts';
import type { AnswerResult } from '../run.types.ts';

/** One entry of a run's log. `seq` counts from 0 without gaps; `at` is milliseconds since the epoch. */
export type LogRecord = StartRecord | EventRecord | IntentRecord | LimitsRecord;

/** Record 0: all that is needed to fold the rest. */
export interface StartRecord {
  readonly seq: 0;
  readonly at: number;
  readonly kind: 'start';
  readonly machineVersion: string;
  readonly input: AgentInput;
  /** Whether the log came from a file that nobody vouched for; see `Runs.import`. */
  readonly imported?: true;
  /** Of an imported log: how many of its records came with the file. */
  readonly importedRecords?: number;
  /** Where a forked run comes from. */
  readonly forkedFrom?: { readonly runId: string; readonly seq: number };
}

/** An event that the agent's actor received, in the order received. */
export interface EventRecord {
  readonly seq: number;
  readonly at: number;
  readonly kind: 'event';
  readonly event: JsonObject & { readonly type: string };
}

/** A tool is about to start. On disk before it does; never folded. */
export interface IntentRecord {
  readonly seq: number;
  readonly at: number;
  readonly kind: 'intent';
  readonly callId: string;
  readonly attempt: number;
}

/**
 * From here on the run counts under these limits, where they are lower than its own: written when
 * an agent takes up a run that was imported.
 */
export interface LimitsRecord {
  readonly seq: number;
  readonly at: number;
  readonly kind: 'limits';
  readonly limits: Limits;
}

/** Where a run stands, as its driver last said. `running` without a driver was interrupted. */
export type RunStatus = 'running' | 'waiting' | 'suspended' | 'done' | 'failed' | 'cancelled';

/** A run in a list. */
export interface RunSummary {
  readonly runId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly status: RunStatus;
  readonly prompt: string;
  readonly records: number;
  /** Who drives it now, or null. */
  readonly drivenBy: string | null;
}

/** Which runs a list holds; what is left out filters nothing. */
export interface RunFilter {
  readonly status?: RunStatus;
  /** Text that the id or the prompt holds, in any case. */
  readonly search?: string;
  /** At most so many, newest first. Default 100. */
  readonly limit?: number;
}

/**
 * The right to drive one run. A later lease has a higher token, and an earlier one is void then;
 * no token is given twice, also where a run was taken out and another has its id.
 */
export interface Lease {
  readonly runId: string;
  readonly owner: string;
  readonly token: number;
  /** When it was taken or last renewed. */
  readonly renewedAt: number;
  readonly expiresAt: number;
}

/** Who wants to drive a run, and for how long at first. */
export interface LeaseRequest {
  /** Who wants to drive, for people: such as a host name and process id. */
  readonly owner: string;
  /** Milliseconds until it lapses unless it is renewed. */
  readonly ttl: number;
}

/** A person's answer that waits for the driver. */
export interface InboxEntry {
  readonly id: number;
  readonly runId: string;
  readonly event: PublicEvent;
}

/** What belongs to the records that are appended. */
export interface AppendOptions {
  /** Whether the records must be on disk, not merely with the operating system, when it resolves. */
  readonly durable: boolean;
  /** The run's status from now on; unchanged if left out. */
  readonly status?: RunStatus;
  /** What became of answers from the inbox, stored together with the records they led to. */
  readonly settled?: readonly SettledAnswer[];
}

/** What became of an answer. */
export interface SettledAnswer {
  readonly id: number;
  readonly result: AnswerResult;
}

/**
 * Why a store refuses. `details` says more where that helps.
 * - `run_unknown`, `run_exists`: by id.
 * - `run_ended`: the run takes no answers any more.
 * - `run_driven`: somebody else holds the lease (`owner`, `expiresAt`).
 * - `lease_lost`: the lease lapsed and was taken over; nothing was written.
 * - `log_corrupt`: this run's log cannot be read; other runs stay usable.
 * - `store_…`: the store as a whole: unavailable, corrupt, readonly, full, busy, foreign, too_new, failed.
 */
export type StoreErrorCode =
  | 'run_unknown'
  | 'run_exists'
  | 'run_ended'
  | 'run_driven'
  | 'lease_lost'
  | 'log_corrupt'
  | 'store_unavailable'
  | 'store_corrupt'
  | 'store_readonly'
  | 'store_full'
  | 'store_busy'
  | 'store_foreign'
  | 'store_too_new'
  | 'store_failed';

/**
 * Where runs are kept: their logs, who drives them, and answers that wait. Every method rejects
 * with an `AgentHubError<StoreErrorCode>`; one that rejects has written nothing. A store may do
 * its work before it returns; whoever drives a run relies only on what has resolved. Every call must
 * settle: while one does not, nothing of its run starts, and its outcome is not told.
 */
export interface RunStore {
  /** For people: such as a file's path. */
  readonly name: string;
  /** Creates a run with its first record, driven by `request.owner`. */
  create(start: StartRecord, request: LeaseRequest): Promise<Lease>;
  /**
   * Adds a run with its whole log, which nobody drives; its status is `status`. It is there with all
   * of its log, or not at all, also when the process dies or the disk is full meanwhile.
   */
  insert(log: readonly LogRecord[], status: RunStatus): Promise<void>;
  /**
   * Adds records to a run's log, with all that belongs to them or none, if the lease holds. Where
   * the status says that the run has ended, answers that still wait are refused with it (`ended`).
   */
  append(lease: Lease, records: readonly LogRecord[], options: AppendOptions): Promise<void>;
  /** A run's log from record `from` (default 0) on, in order, checked for gaps. */
  read(runId: string, from?: number): Promise<readonly LogRecord[]>;
  /** One run as it is in a list, by its exact id. */
  summary(runId: string): Promise<RunSummary>;
  list(filter?: RunFilter): Promise<readonly RunSummary[]>;
  /** Takes a run out, with its log and its inbox, unless somebody drives it. */
  remove(runId: string): Promise<void>;
  /** Takes the lease of a run that nobody drives. */
  acquire(runId: string, request: LeaseRequest): Promise<Lease>;
  /** Makes a lease last for another `ttl` milliseconds. */
  renew(lease: Lease, ttl: number): Promise<Lease>;
  /** Gives a lease back; one that is lost already is no error. */
  release(lease: Lease): Promise<void>;
  /**
   * Puts an answer into a run's inbox and gives its id. Anyone may, until the run has ended: then
   * it rejects with `run_ended`, for nobody would take it.
   */
  post(runId: string, event: PublicEvent): Promise<number>;
  /** The answers of a run that nobody has dealt with, oldest first. */
  pending(runId: string): Promise<readonly InboxEntry[]>;
  /** What became of an answer; null while it waits. */
  resultOf(id: number): Promise<AnswerResult | null>;
  close(): Promise<void>;
}
