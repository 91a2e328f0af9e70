import type { Json } from './json.ts';
import type { Reason } from './reasons.ts';

/** How a tool call ended. Every call ends in exactly one of these. */
export type Outcome =
  | 'ok'
  | 'error'
  | 'timeout'
  /** Stopped while running: it may have taken effect. */
  | 'cancelled'
  /** The permission policy or a person said no. It never started. */
  | 'denied'
  /** A PreToolUse hook said no. It never started. */
  | 'blocked'
  /** A PreToolUse hook crashed, timed out or answered nonsense. It never started. */
  | 'hook_failed'
  /** Nobody answered in time, or the answer was too old. It never started. */
  | 'expired'
  | 'unknown_tool'
  | 'invalid_arguments'
  /** What the call would touch could not be looked up. It never started. */
  | 'facts_unavailable'
  /** It started before a crash and left no result: it may or may not have taken effect. */
  | 'unknown';

/** Text that a hook put beside something, with the name of the hook. */
export interface ContextNote {
  readonly source: string;
  readonly text: string;
}

/** A person's words, never changed. What hooks add stands beside them. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: string;
  readonly context: readonly ContextNote[];
}

/** A tool call as the model asked for it. */
export interface CallMessage {
  /** `<turn>.<index>`, unique within a conversation. */
  readonly id: string;
  /** The provider's own id, if it gave one. Providers reuse ids: never a key. */
  readonly providerId: string | null;
  readonly tool: string;
  /** The arguments as parsed; `{}` when they did not parse (what is replayed must be valid). */
  readonly input: Json;
}

/** What the model wrote. A reply that did not parse enters as text only (`calls` empty). */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly turn: number;
  readonly content: string;
  readonly calls: readonly CallMessage[];
}

/** What came of one call: exactly one per call, in call order. */
export interface ObservationMessage {
  readonly role: 'observation';
  readonly callId: string;
  readonly providerId: string | null;
  readonly tool: string;
  /** What was decided on and executed, where hooks made something else of the call's input. */
  readonly input?: Json;
  readonly outcome: Outcome;
  /** The tool's result, or what went wrong. Untrusted text. */
  readonly content: string;
  /** Why it was refused, when it was; empty for a call that ran. */
  readonly reasons: readonly Reason[];
  readonly context: readonly ContextNote[];
}

/** A reply could not be read. The protocol words it for the model, from `code` and `detail`. */
export interface RepairMessage {
  readonly role: 'repair';
  readonly code: string;
  readonly detail: string | null;
}

/** A Stop hook kept the run going. */
export interface StopBlockMessage {
  readonly role: 'stop_block';
  readonly reasons: readonly ContextNote[];
}

/** One entry of a run's history, in no provider's format; a protocol turns it into one. */
export type Message =
  | UserMessage
  | AssistantMessage
  | ObservationMessage
  | RepairMessage
  | StopBlockMessage;
