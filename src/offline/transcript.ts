import type { Json } from '../../machines/vocabulary/json.ts';
import type { Outcome } from '../../machines/vocabulary/messages.ts';
import type {
  ChatMessage,
  MessageOrigin,
  ModelRequest,
  ObservedCall,
} from '../../machines/vocabulary/model.ts';
import type { Ending, PastCall, Transcript } from './transcript.types.ts';

/** What is told of a call by its outcome. Only `ok` is ever reported as done. */
const ENDINGS: Readonly<Record<Outcome, Ending>> = {
  ok: 'ok',
  error: 'failed',
  timeout: 'unsure',
  cancelled: 'unsure',
  unknown: 'unsure',
  denied: 'refused',
  blocked: 'refused',
  hook_failed: 'refused',
  expired: 'refused',
  unknown_tool: 'refused',
  invalid_arguments: 'refused',
  // Mostly a file that is not there.
  facts_unavailable: 'impossible',
};

/**
 * Reads a request of either protocol by the origins of its messages; of their texts only a person's
 * own words are read. Total: without any origin the last user message is the prompt. Tools that the
 * system message describes mean that steps are written as text.
 */
export function readTranscript({ messages, tools }: ModelRequest): Transcript {
  const described = toolsInText(messages);
  const prompt = messages.findLastIndex(isPrompt);
  const since = messages.slice(prompt + 1).flatMap((message) => originOf(message) ?? []);
  return {
    protocol: described === null ? 'native' : 'react',
    tools: described ?? tools.map(({ name }) => name),
    prompt: messages[prompt]?.content ?? '',
    calls: since.flatMap((origin) =>
      origin.kind === 'observation' ? origin.calls.map(toPastCall) : [],
    ),
    isBlocked: since.some(({ kind }) => kind === 'stop_block'),
  };
}

/** What a message is there for; null for the model's own, and for one that does not say. */
function originOf(message: ChatMessage): MessageOrigin | null {
  return message.role === 'assistant' ? null : (message.origin ?? null);
}

function isPrompt(message: ChatMessage): boolean {
  const kind = originOf(message)?.kind ?? 'user';
  return message.role === 'user' && kind === 'user' && message.content !== '';
}

/** The tools that the system message describes; null where it describes none. */
function toolsInText(messages: readonly ChatMessage[]): readonly string[] | null {
  for (const message of messages) {
    const origin = originOf(message);
    if (origin?.kind === 'instructions') return origin.tools;
  }
  return null;
}

function toPastCall(call: ObservedCall): PastCall {
  return {
    id: call.callId,
    tool: call.tool,
    input: parseJson(call.arguments),
    ending: ENDINGS[call.outcome],
    reasons: call.reasons.map(wordsOf),
    content: call.content,
  };
}

/** That nothing could be looked up is said by the ending; what was wrong stands behind a colon. */
function wordsOf({ code, text }: ObservedCall['reasons'][number]): string {
  if (code !== 'facts_unavailable') return text;
  return text.slice(text.search(/[:：]/u) + 1).trim();
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
