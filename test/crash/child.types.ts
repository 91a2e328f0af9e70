import type { Person, Replies, ToolStart } from './calls.ts';

/** Where a process stops. */
type StopPoint =
  /** At its nth write to the store, counted from 1. */
  | { readonly kind: 'write'; readonly write: number; readonly when: 'before' | 'after' }
  | { readonly kind: 'state'; readonly state: string }
  /** In the tool, before or after it takes effect. */
  | { readonly kind: 'tool'; readonly callId: string; readonly when: 'before' | 'after' };

/** What is then done to it: killed for good, or stopped for longer than its lease. */
interface Stroke {
  readonly does: 'kill' | 'stall';
}

/** What is done to a process where it says that it is there. */
export type PointBlow = StopPoint & Stroke;

/** What is done to a process: at a point, or so many milliseconds after it is ready. */
export type Blow = (StopPoint | { readonly kind: 'time'; readonly ms: number }) & Stroke;

export interface ChildConfig {
  readonly database: string;
  /** Where tools take effect: a line of JSON per start; see `Effect`. */
  readonly effects: string;
  readonly runId: string;
  readonly replies: Replies;
  readonly person: Person;
  /** Milliseconds after which an approval ends, or null. */
  readonly approvalTime: number | null;
  /** Milliseconds that tools take. */
  readonly toolTime: number;
  /** Each strikes once. */
  readonly blows: readonly PointBlow[];
}

/** Milliseconds of the lease of every driver here. */
export const LEASE_TIME = 200;

/** Milliseconds that a process is stopped: its lease lapses, and another has the time to take over. */
export const STALL_TIME = LEASE_TIME + 150;

/** One start of a tool, as it took effect. */
export interface Effect extends ToolStart {
  /** Whether the log held the intent of the start just before. */
  readonly isOnRecord: boolean;
}

/** What a child says, a line of JSON each. */
export type ChildLine =
  | { readonly type: 'ready' }
  /** It stands still, for its parent to do what is due: the blow at this index of its own. */
  | { readonly type: 'stopped'; readonly blow: number }
  /** Acknowledged: the events up to here, those of earlier drivers not among them. */
  | { readonly type: 'acked'; readonly base: number; readonly events: readonly string[] }
  /** An answer that was taken, and stored. */
  | { readonly type: 'answered'; readonly callId: string; readonly by: string }
  /** It waits for answers, and the inbox is empty. */
  | { readonly type: 'asking' }
  /** A handle that drives no more, the run not being over. */
  | { readonly type: 'lost'; readonly code: string; readonly message: string }
  | {
      readonly type: 'ended';
      readonly status: string;
      /** Null where the run had ended before this process had it. */
      readonly messages: readonly unknown[] | null;
      readonly writes: number;
      readonly states: readonly string[];
    };
