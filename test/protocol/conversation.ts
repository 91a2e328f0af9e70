import { reason } from '../../machines/permission/reasons.ts';
import type {
  AssistantMessage,
  Message,
  ObservationMessage,
} from '../../machines/vocabulary/messages.ts';
import type { ChatMessage, ModelReply, ToolSpec } from '../../machines/vocabulary/model.ts';
import type { Conversation } from '../../machines/vocabulary/step.ts';

/** A tool with a text field, and one without. */
export const TOOLS: readonly ToolSpec[] = [
  {
    name: 'search',
    description: 'Looks up\nthe policies.',
    inputSchema: {
      type: 'object',
      properties: { keywords: { type: 'string' }, limit: { type: 'integer' } },
    },
    textField: 'keywords',
    oncePerReply: false,
  },
  {
    name: 'scale',
    description: 'Scales an image.',
    inputSchema: { type: 'object', properties: { input: { type: 'string' } } },
    textField: null,
    oncePerReply: false,
  },
];

export function reply(text: string, more: Partial<ModelReply> = {}): ModelReply {
  return { text, calls: [], finishReason: 'stop', model: 'test', requests: [], ...more };
}

export function conversation(
  messages: readonly Message[],
  more: Partial<Conversation> = {},
): Conversation {
  return { instructions: '', tools: TOOLS, messages, locale: 'en', ...more };
}

/** The messages as a provider is sent them; where they come from is test/protocol/origin.test.ts's. */
export function worded(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.map((message) => {
    if (message.role === 'assistant') return message;
    const { origin: _, ...sent } = message;
    return sent;
  });
}

export function assistant(content: string, more: Partial<AssistantMessage> = {}): AssistantMessage {
  return { role: 'assistant', turn: 1, content, calls: [], ...more };
}

export function observation(
  callId: string,
  more: Partial<ObservationMessage> = {},
): ObservationMessage {
  return {
    role: 'observation',
    callId,
    providerId: null,
    tool: 'search',
    outcome: 'ok',
    content: `result of ${callId}`,
    reasons: [],
    context: [],
    ...more,
  };
}

export const DENIED = observation('1.0', {
  tool: 'scale',
  outcome: 'denied',
  content: '',
  reasons: [
    reason('outside_not_approved', 'rule', { approval: 'outside' }),
    reason('overwrite_not_approved', 'rule', { approval: 'overwrite' }),
  ],
});

/** A tool of that name. */
export function spec(name: string, more: Partial<ToolSpec> = {}): ToolSpec {
  return { name, description: '', inputSchema: {}, textField: null, oncePerReply: false, ...more };
}
