import type { Json, Locale } from './json.ts';
import type { Message } from './messages.ts';
import type { ToolSpec } from './model.ts';

/** A call as a protocol read it; its tool may not exist and its input may be invalid. */
export interface ParsedCall {
  readonly tool: string;
  readonly providerId: string | null;
  readonly arguments:
    | { readonly ok: true; readonly value: Json }
    /** `message` says what was wrong in the words for the model. */
    | { readonly ok: false; readonly code: string; readonly message: string };
}

/**
 * What a reply means. `text` is what enters the history: the reply as written, without what
 * the model invented after its own action.
 */
export type ParsedStep =
  | { readonly kind: 'answer'; readonly text: string; readonly answer: string }
  | { readonly kind: 'calls'; readonly text: string; readonly calls: readonly ParsedCall[] }
  | {
      readonly kind: 'malformed';
      readonly text: string;
      readonly code: string;
      readonly detail: string | null;
    };

/** What a protocol turns into a request. */
export interface Conversation {
  /** The host's instructions for the model; may be empty. */
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  readonly locale: Locale;
}
