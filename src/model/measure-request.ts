import type { ModelRequest } from '../../machines/vocabulary/model.ts';

/** What a request carries: messages, and characters as `RequestRecord` counts them. */
export function measureRequest(request: ModelRequest): { messages: number; characters: number } {
  let characters = 0;
  for (const message of request.messages) {
    characters += message.content.length;
    if (message.role !== 'assistant') continue;
    for (const call of message.toolCalls ?? []) characters += call.arguments.length;
  }
  for (const tool of request.tools) characters += tool.description.length;
  return { messages: request.messages.length, characters };
}
