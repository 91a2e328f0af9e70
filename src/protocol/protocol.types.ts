import type { Locale } from '../../machines/vocabulary/json.ts';
import type { ModelReply, ModelRequest, ToolSpec } from '../../machines/vocabulary/model.ts';
import type { Conversation, ParsedStep } from '../../machines/vocabulary/step.ts';

/** A way of writing steps. Both functions are pure and total: no input makes them throw. */
export interface Protocol {
  readonly name: 'react-text' | 'native-calls';
  /** The history and the tools as a request to a model. */
  toRequest(conversation: Conversation): ModelRequest;
  /** A model's reply as a step; texts meant for the model are in `locale`. */
  parseReply(reply: ModelReply, tools: readonly ToolSpec[], locale: Locale): ParsedStep;
}
