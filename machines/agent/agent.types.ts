import type { Circumstances, Facts } from '../permission/evaluate.ts';
import type { Policies } from '../permission/policies.ts';
import type { Approval, Reason } from '../permission/reasons.ts';
import type { ErrorData } from '../vocabulary/errors.ts';
import type { Json, Locale } from '../vocabulary/json.ts';
import type { ContextNote, Message, Outcome } from '../vocabulary/messages.ts';
import type { ModelReply, RequestRecord } from '../vocabulary/model.ts';
import type { HookSelector } from './matcher.ts';
import type { Repeats } from './repeats.ts';

/** How far a run may go. Counters never reset; only `run.resume` raises a limit. */
export interface Limits {
  /** Model requests. */
  readonly turns: number;
  /** Tool calls the model asked for. Checked before a request, so one batch may overshoot it. */
  readonly toolCalls: number;
  /** Tool calls in one reply; a reply with more is malformed and nothing of it runs. */
  readonly callsPerReply: number;
  /** Replies that could not be read and were sent back for mending. */
  readonly repairs: number;
  /** Times a Stop hook kept the run going. */
  readonly stopBlocks: number;
  /** Times the same tool gave the same result for the same arguments since the last resume. */
  readonly repeatedCalls: number;
  /** Tokens in and out as reported, or null. Requests without a report count as nothing. */
  readonly tokens: number | null;
  /** Milliseconds of work, waiting for people left out, or null. */
  readonly time: number | null;
  /** Milliseconds a person has to answer, or null for no deadline. */
  readonly approvalDeadline: number | null;
  /**
   * Times one call may be set back before it starts: what it would touch has changed since it was
   * approved, or its start did not come about.
   */
  readonly setbacks: number;
}

/** The limits a run starts with when nothing else is said. */
export const DEFAULT_LIMITS: Limits = {
  turns: 25,
  toolCalls: 100,
  callsPerReply: 16,
  repairs: 3,
  stopBlocks: 3,
  repeatedCalls: 3,
  tokens: null,
  time: null,
  approvalDeadline: null,
  setbacks: 5,
};

/** All a run needs to know at its start. JSON; record 0 of its log. */
export interface AgentInput {
  readonly runId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly locale: Locale;
  /** The person's words. They reach the model unchanged. */
  readonly prompt: string;
  /** Messages of earlier runs of the same conversation, oldest first. */
  readonly history: readonly Message[];
  readonly hooks: readonly HookSelector[];
  readonly policies: Policies;
  readonly limits: Limits;
}

/** One person's word for one start of one call. */
export interface Grant {
  readonly approvals: readonly Approval[];
  /** What the person was shown; see `shownOf`. The grant is void once that differs. */
  readonly shown: string;
  /** Who gave it, such as `terminal` or a user's name. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds since the epoch, or null. */
  readonly expiresAt: number | null;
}

/** How a call ended. */
export interface CallResult {
  readonly outcome: Outcome;
  readonly content: string;
  readonly reasons: readonly Reason[];
  /** The tool's own time in milliseconds; 0 for a call that never started. */
  readonly ms: number;
}

/** Where a call stands. */
export type CallStage =
  /** Neither refused nor running. */
  | 'live'
  /** A person is being asked and has not answered. */
  | 'asked'
  | 'running'
  | 'settled';

/** A call of the current batch. */
export interface Call extends Circumstances {
  /** `<turn>.<index>`, unique within a conversation. */
  readonly id: string;
  readonly providerId: string | null;
  readonly tool: string;
  /** The input as the model gave it. */
  readonly requestedInput: Json;
  /** The input that is decided on and executed: what hooks made of it. */
  readonly input: Json;
  readonly stage: CallStage;
  /** How often it has been started. */
  readonly starts: number;
  /** What it would touch, as of the latest inspection; null when that could not be found out. */
  readonly facts: Facts | null;
  /** Why the latest inspection gave no facts, if it says so. */
  readonly inspectionError: ErrorData | null;
  /** How often it was set back on the way to the start it waits for; see `Limits.setbacks`. */
  readonly setbacks: number;
  readonly grants: readonly Grant[];
  /** What hooks add to its observation. */
  readonly context: readonly ContextNote[];
  /** Null until it is settled. */
  readonly result: CallResult | null;
}

/** Why a run rests before its end. */
export type SuspensionReason =
  | 'limit.turns'
  | 'limit.tool_calls'
  | 'limit.tokens'
  | 'limit.time'
  | 'limit.repairs'
  | 'limit.stop_blocks'
  | 'limit.repeated_call'
  | 'model_unavailable'
  | 'hook_failed';

/** How a run came to rest. */
export type Rest =
  | { readonly status: 'done'; readonly answer: string }
  | { readonly status: 'failed'; readonly error: ErrorData }
  | { readonly status: 'cancelled' }
  | {
      readonly status: 'suspended';
      readonly reason: SuspensionReason;
      readonly error: ErrorData | null;
      /** The last text the model wrote, also of a reply that broke off; or the empty string. */
      readonly partialAnswer: string;
    };

/** Sums over the requests of a run. */
export interface UsageTotals {
  readonly requests: number;
  /** Requests for which the provider reported no tokens. */
  readonly unreported: number;
  /** As reported; a lower bound while `unreported` is not 0. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly messages: number;
  readonly characters: number;
}

/** A failure that did not end the run, with the state it came from. */
export interface Fault {
  readonly state: string;
  readonly error: ErrorData;
}

/** The state of a run beside the state of its chart. JSON. */
export interface AgentContext {
  readonly runId: string;
  readonly locale: Locale;
  readonly prompt: string;
  readonly hooks: readonly HookSelector[];
  readonly policies: Policies;
  readonly limits: Limits;
  readonly messages: readonly Message[];
  /** The latest time any event told, and the milliseconds of work up to it. */
  readonly clock: { readonly at: number; readonly workedMs: number };
  /** Number of the current turn; goes on from the history's last. */
  readonly turn: number;
  readonly counters: {
    readonly turns: number;
    readonly toolCalls: number;
    readonly repairs: number;
    readonly stopBlocks: number;
  };
  /** How often equal calls gave equal results since the last resume. */
  readonly repeats: Repeats;
  readonly usage: UsageTotals;
  /** The model's reply while it is not parsed. */
  readonly reply: ModelReply | null;
  /** The current batch; empty outside the tool states. */
  readonly calls: readonly Call[];
  /** When the current questions expire, or null. */
  readonly deadline: number | null;
  /** The answer the model gave last, while it stands. */
  readonly answer: string | null;
  readonly faults: readonly Fault[];
  readonly rest: Rest | null;
}

/** What a person or host may send. Everything else comes from the run's own actors. */
export type PublicEvent =
  | {
      readonly type: 'permission.grant';
      readonly callId: string;
      readonly approvals: readonly Approval[];
      readonly shown: string;
      readonly by: string;
      readonly at: number;
      readonly expiresAt: number | null;
    }
  | {
      readonly type: 'permission.deny';
      readonly callId: string;
      /** Goes to the model; may be empty. */
      readonly reason: string;
      readonly by: string;
      readonly at: number;
    }
  | {
      readonly type: 'run.cancel';
      readonly by: string;
      readonly at: number;
      /** The requests that are under way: the run's driver adds this, it alone knows them. */
      readonly requests?: readonly RequestRecord[];
    }
  | {
      readonly type: 'run.resume';
      /** Limits to raise. */
      readonly limits: Partial<Limits>;
      readonly by: string;
      readonly at: number;
    };

/** Events of the spawned tools; their ids are `tool.<callId>`. */
export type ToolEvent =
  | {
      readonly type: `xstate.done.actor.tool.${string}`;
      readonly actorId: string;
      readonly output: ToolOutput;
    }
  | {
      readonly type: `xstate.error.actor.tool.${string}`;
      readonly actorId: string;
      readonly error: unknown;
    };

/** Every event the chart takes, but those that its invoked actors answer with. */
export type AgentEvent = PublicEvent | ToolEvent;

/**
 * What a tool actor answers. Failures of a tool are data, never a rejection. `not_started`: what it
 * was decided on no longer stands, such as an approval that has ended; nothing ran, and the call is
 * decided on again.
 */
export interface ToolOutput {
  readonly outcome: 'ok' | 'error' | 'timeout' | 'unknown' | 'not_started';
  readonly content: string;
  readonly ms: number;
  readonly at: number;
}

/** A parsed call, checked against the tool's schema. */
export interface CheckedCall {
  readonly tool: string;
  readonly providerId: string | null;
  readonly input: Json;
  /** Null when the tool is known and its input valid. */
  readonly problem: {
    readonly outcome: 'unknown_tool' | 'invalid_arguments';
    readonly content: string;
  } | null;
}

/**
 * What the `parseReply` port answers. `text` enters the history; null when it is the reply's own,
 * so that a log need not hold it twice.
 */
export type ParsedReply =
  | { readonly kind: 'answer'; readonly text: string | null; readonly answer: string }
  | { readonly kind: 'calls'; readonly text: string | null; readonly calls: readonly CheckedCall[] }
  | {
      readonly kind: 'malformed';
      readonly text: string | null;
      readonly code: string;
      readonly detail: string | null;
    };

/** What the PreToolUse hooks made of one call. */
export interface PreToolVerdict {
  readonly verdict: 'proceed' | 'ask' | 'block' | 'failed';
  readonly reasons: readonly ContextNote[];
  /** Goes to the model with the call's observation. */
  readonly context: readonly ContextNote[];
  /** The input as the hooks left it, validated. */
  readonly input: Json;
}

/** What the PostToolUse hooks made of one call. */
export interface PostToolVerdict {
  readonly content: string;
  readonly context: readonly ContextNote[];
  readonly faults: readonly ErrorData[];
}

/** Results by call id. */
export type ByCall<Value> = Readonly<Record<string, Value>>;

/** What the `inspectFacts` port answers: facts per call, or why there are none. */
export interface Inspection {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly facts: ByCall<
    { readonly ok: true; readonly facts: Facts } | { readonly ok: false; readonly error: ErrorData }
  >;
}

/** What the `callModel` port answers. */
export interface ModelAnswer {
  readonly at: number;
  readonly reply: ModelReply;
}

/** What a run gives when it has ended. */
export type AgentOutput = Exclude<Rest, { status: 'suspended' }> & {
  readonly runId: string;
  readonly usage: UsageTotals;
  /** The whole conversation; hand it to the next run as `history`. */
  readonly messages: readonly Message[];
};
