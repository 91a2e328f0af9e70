import type { JsonObject } from './json.ts';
import type { Outcome } from './messages.ts';

/** A tool as a model is told about it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input (draft 2020-12, `type: object`). */
  readonly inputSchema: JsonObject;
  /** The property a plain-text Action Input fills verbatim, if the tool has one. */
  readonly textField: string | null;
  /** A second call of this tool in one reply is refused. */
  readonly oncePerReply: boolean;
}

/** A native tool call: `arguments` is the model's text and may not be valid JSON. */
export interface NativeCall {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: string;
}

/** What came of a call: what the observation of it says in words. */
export interface ObservedCall {
  /** `<turn>.<index>`, unique within a conversation. */
  readonly callId: string;
  readonly tool: string;
  /** What the model asked for, as JSON; `null` for a call that the history does not hold. */
  readonly arguments: string;
  readonly outcome: Outcome;
  /** Why it was refused, when it was. */
  readonly reasons: readonly { readonly code: string; readonly text: string }[];
  /** The tool's result, or what went wrong; without what hooks added. Untrusted text. */
  readonly content: string;
}

/**
 * What a message is there for, as data: a program that stands in a model's place need not read it
 * out of sentences. It is never sent to a provider, and counts as no characters.
 */
export type MessageOrigin =
  /** The system message; `tools` are the tools it describes, null where the request offers them. */
  | { readonly kind: 'instructions'; readonly tools: readonly string[] | null }
  /** A person's words. */
  | { readonly kind: 'user' }
  /** What hooks put beside a person's words. */
  | { readonly kind: 'note' }
  | { readonly kind: 'observation'; readonly calls: readonly ObservedCall[] }
  /** How to mend a reply that could not be read. */
  | { readonly kind: 'repair'; readonly code: string }
  /** What Stop hooks found left to do. */
  | { readonly kind: 'stop_block' };

/**
 * A message in the form of OpenAI's chat completions, narrowed to what protocols produce. The
 * shipped protocols give every message an `origin` but the model's own.
 */
export type ChatMessage =
  | {
      readonly role: 'system' | 'user';
      readonly content: string;
      readonly origin?: MessageOrigin;
    }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly NativeCall[];
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: string;
      readonly origin?: MessageOrigin;
    };

/** What a protocol asks a model. */
export interface ModelRequest {
  readonly messages: readonly ChatMessage[];
  /** Tools for native calls; empty when the protocol describes them in text. */
  readonly tools: readonly ToolSpec[];
  /** Stop sequences; empty for none. A model that takes none ignores them. */
  readonly stop: readonly string[];
}

/** Tokens as the provider reported them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** One request that went to a provider, retries and failures included. */
export interface RequestRecord {
  /** Messages carried. */
  readonly messages: number;
  /** Characters (UTF-16 units) of message contents, call arguments and tool descriptions carried. */
  readonly characters: number;
  /** Tokens as reported; null when the provider did not say. Never zero for unknown. */
  readonly usage: Usage | null;
  /** Why this request failed, or null. */
  readonly error: string | null;
  /** Wall time in milliseconds. */
  readonly ms: number;
}

/** A model's whole reply. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly NativeCall[];
  /** Why the model stopped; `length` means the reply is cut off. */
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'unknown';
  /** The model's name as the provider reported it. */
  readonly model: string;
  /** Every request made for this reply, in order; the last one produced it. */
  readonly requests: readonly RequestRecord[];
}

/** A piece of a reply while it streams. */
export interface ModelDelta {
  readonly kind: 'text' | 'reasoning' | 'call';
  /** Text to append. For `call`: a piece of the arguments of call number `index`. */
  readonly text: string;
  /** Which call of the reply, for `call`. */
  readonly index?: number;
  /** The call's tool, in its first piece. */
  readonly tool?: string;
}

/**
 * Why a model gave no reply; see {@link ModelErrorDetails}.
 */
export type ModelErrorCode =
  | 'auth'
  | 'rate_limit'
  | 'context_length'
  | 'unavailable'
  | 'bad_request'
  | 'bad_response'
  | 'aborted';

/** The `details` of a model error. */
export interface ModelErrorDetails {
  /** Whether asking again later may help; the client's own retries are already spent. */
  readonly retryable: boolean;
  /** What was wrong, without advice: for people who read another language than the message's. */
  readonly cause?: string;
  /** Every request made, failed ones included. */
  readonly requests: readonly RequestRecord[];
}
