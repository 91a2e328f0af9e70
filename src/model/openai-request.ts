import type OpenAI from 'openai';
import type { ChatMessage, ModelRequest, NativeCall } from '../../machines/vocabulary/model.ts';

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParams;
type BodyMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;

/** How a request is written for an endpoint. */
export interface BodyOptions {
  readonly model: string;
  readonly stream: boolean;
  readonly streamUsage: boolean;
  readonly sendStop: boolean;
  readonly extraBody: Readonly<Record<string, unknown>>;
}

/** The body of a chat completions request. Nothing is sent that was not asked for. */
export function toBody(request: ModelRequest, options: BodyOptions): Body {
  const body = {
    model: options.model,
    messages: request.messages.map(toBodyMessage),
    stream: options.stream,
    ...(options.stream && options.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...(request.stop.length > 0 && options.sendStop ? { stop: [...request.stop] } : {}),
    ...(request.tools.length > 0 ? { tools: request.tools.map(toBodyTool) } : {}),
    ...options.extraBody,
  };
  return body;
}

function toBodyMessage(message: ChatMessage): BodyMessage {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (message.role !== 'assistant') return { role: message.role, content: message.content };
  const calls = message.toolCalls ?? [];
  if (calls.length === 0) return { role: 'assistant', content: message.content };
  return {
    role: 'assistant',
    // Some endpoints refuse an empty text beside tool calls; null is the documented form.
    content: message.content === '' ? null : message.content,
    tool_calls: calls.map(toBodyCall),
  };
}

function toBodyCall(call: NativeCall, index: number) {
  const { name, arguments: text } = call;
  const id = call.id ?? `call_${index}`;
  return { id, type: 'function' as const, function: { name, arguments: text } };
}

function toBodyTool({ name, description, inputSchema }: ModelRequest['tools'][number]) {
  return {
    type: 'function' as const,
    function: { name, description, parameters: inputSchema },
  };
}
