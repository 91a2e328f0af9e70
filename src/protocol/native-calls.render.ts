import type { Locale } from '../../machines/vocabulary/json.ts';
import type { Message } from '../../machines/vocabulary/messages.ts';
import type { ChatMessage, ModelRequest, NativeCall } from '../../machines/vocabulary/model.ts';
import type { Conversation } from '../../machines/vocabulary/step.ts';
import { cachedRenderer, type HistoryItem, pairHistory } from './history.ts';
import { NATIVE_REPAIRS, WRITTEN_CALL } from './native-calls.texts.ts';
import { renderObservation } from './notes.ts';
import { observationOf } from './origin.ts';
import { fill, NO_RESULT, STRAY_OBSERVATION } from './texts.ts';
import { renderAsUser, type UserTexts } from './user-messages.ts';
import { textBeside } from './written-calls.ts';

const LONGEST_ID = 32;
const LONGEST_NAME = 64;

const USER_TEXTS: UserTexts = {
  repairs: NATIVE_REPAIRS,
  strayObservation: (message, locale) =>
    `${fill(STRAY_OBSERVATION, locale, message.tool)}\n${renderObservation(message, locale)}`,
};

/**
 * A conversation as chat messages with tool calls. Each call is followed directly by exactly one
 * tool message, in call order. Ids are made from the engine's call ids (`1.0` → `call_1_0`), never
 * from a provider's, which repeat; within one request they are unique. A call that the model wrote as
 * text is shown as a call, and its result begins with a note that says so.
 */
export function renderNative({
  instructions,
  tools,
  messages,
  locale,
}: Conversation): ModelRequest {
  const system: readonly ChatMessage[] =
    instructions.trim() === ''
      ? []
      : [{ role: 'system', content: instructions, origin: { kind: 'instructions', tools: null } }];
  return { messages: [...system, ...renderHistory(messages, locale)], tools, stop: [] };
}

const renderGroups = cachedRenderer((items, locale) => renderItems(items, locale, makeIds()));

/** Ids repeat only where call ids do, which no run of this engine makes: then all is made anew. */
function renderHistory(messages: readonly Message[], locale: Locale): readonly ChatMessage[] {
  const chat = renderGroups(messages, locale);
  const ids = chat.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
  if (new Set(ids).size === ids.length) return chat;
  return renderItems(pairHistory(messages), locale, makeIds());
}

function renderItems(
  items: readonly HistoryItem[],
  locale: Locale,
  uniqueId: (callId: string) => string,
): readonly ChatMessage[] {
  return items.flatMap((item) =>
    item.kind === 'reply'
      ? renderReply(item, uniqueId, locale)
      : renderAsUser(item, USER_TEXTS, locale),
  );
}

function renderReply(
  { message, calls }: Extract<HistoryItem, { kind: 'reply' }>,
  uniqueId: (callId: string) => string,
  locale: Locale,
): readonly ChatMessage[] {
  const names = calls.map(({ call }) => call.tool);
  const isWritten = calls.length > 0 && calls.every(({ call }) => call.providerId === null);
  const beside = isWritten ? textBeside(message.content, names) : null;
  const content = beside ?? message.content;
  // Providers refuse an assistant message with neither text nor calls.
  if (calls.length === 0) return content.trim() === '' ? [] : [{ role: 'assistant', content }];
  const ids = calls.map(({ call }) => uniqueId(call.id));
  const toolCalls = calls.map(({ call }, index): NativeCall => {
    const name = toToolName(call.tool);
    return { id: ids[index] ?? null, name, arguments: JSON.stringify(call.input) ?? '{}' };
  });
  const results = calls.map((settled, index): ChatMessage => {
    const { observation } = settled;
    const result =
      observation === null ? NO_RESULT[locale] : renderObservation(observation, locale);
    const text = beside !== null && index === 0 ? `${WRITTEN_CALL[locale]}\n${result}` : result;
    const origin = observationOf([settled], locale);
    return { role: 'tool', toolCallId: ids[index] ?? '', content: text, origin };
  });
  return [{ role: 'assistant', content, toolCalls }, ...results];
}

function makeIds(): (callId: string) => string {
  const used = new Set<string>();
  const repeats = new Map<string, number>();
  return (callId) => {
    const base = `call_${callId.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, LONGEST_ID)}`;
    let id = base;
    let repeat = repeats.get(base) ?? 1;
    while (used.has(id)) {
      repeat += 1;
      id = `${base}_${repeat}`;
    }
    repeats.set(base, repeat);
    used.add(id);
    return id;
  };
}

/** A name that providers take back; the model may have asked for a tool of any name. */
function toToolName(tool: string): string {
  const name = tool.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, LONGEST_NAME);
  return name === '' ? 'unnamed' : name;
}
