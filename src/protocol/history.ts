import type { Locale } from '../../machines/vocabulary/json.ts';
import type {
  AssistantMessage,
  CallMessage,
  Message,
  ObservationMessage,
} from '../../machines/vocabulary/messages.ts';
import type { ChatMessage } from '../../machines/vocabulary/model.ts';

/** A call with what came of it; null when the history does not say. */
export interface SettledCall {
  readonly call: CallMessage;
  readonly observation: ObservationMessage | null;
}

/** A history's entries with each reply's observations directly behind it, one per call, in order. */
export type HistoryItem =
  | {
      readonly kind: 'reply';
      readonly message: AssistantMessage;
      readonly calls: readonly SettledCall[];
    }
  | { readonly kind: 'other'; readonly message: Exclude<Message, AssistantMessage> };

/**
 * Pairs calls and observations. The engine keeps exactly one observation per call; this holds for
 * any other history too: an observation is looked for up to the next reply, a missing one is null,
 * and one that no call asked for stands alone.
 */
export function pairHistory(messages: readonly Message[]): readonly HistoryItem[] {
  return groupsOf(messages).flatMap(pairGroup);
}

/** What stands before the first reply; then each reply with all that comes before the next. */
function groupsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const groups: Message[][] = [];
  let group: Message[] = [];
  for (const message of messages) {
    if (message.role === 'assistant' && group.length > 0) {
      groups.push(group);
      group = [];
    }
    group.push(message);
  }
  return group.length > 0 ? [...groups, group] : groups;
}

function pairGroup(group: readonly Message[]): readonly HistoryItem[] {
  const [first] = group;
  const others = group.filter(isOther);
  return first?.role === 'assistant' ? pairReply(first, others) : others.map(alone);
}

type RenderItems = (items: readonly HistoryItem[], locale: Locale) => readonly ChatMessage[];

/**
 * Renders a history group by group, and keeps what it made of a group for the next request, which
 * holds the same messages and one group more. Messages never change; `render` must be pure.
 */
export function cachedRenderer(render: RenderItems) {
  const cache = new WeakMap<
    Message,
    { group: readonly Message[]; locale: Locale; chat: readonly ChatMessage[] }
  >();
  return (messages: readonly Message[], locale: Locale): readonly ChatMessage[] =>
    groupsOf(messages).flatMap((group) => {
      const [first] = group as [Message];
      const known = cache.get(first);
      const isSame =
        known?.locale === locale &&
        known.group.length === group.length &&
        known.group.every((message, index) => message === group[index]);
      if (isSame) return known.chat;
      const chat = render(pairGroup(group), locale).map((message) => frozen(message));
      cache.set(first, { group, locale, chat });
      return chat;
    });
}

/** Kept for later requests: a model that changes what it is asked must not change those. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

function pairReply(
  message: AssistantMessage,
  others: readonly Exclude<Message, AssistantMessage>[],
): readonly HistoryItem[] {
  const waiting = new Map<string, ObservationMessage[]>();
  for (const other of others) {
    if (other.role !== 'observation') continue;
    const queue = waiting.get(other.callId);
    if (queue === undefined) waiting.set(other.callId, [other]);
    else queue.push(other);
  }
  for (const queue of waiting.values()) queue.reverse();
  const used = new Set<Message>();
  const calls = message.calls.map((call): SettledCall => {
    const observation = waiting.get(call.id)?.pop() ?? null;
    if (observation !== null) used.add(observation);
    return { call, observation };
  });
  const rest = others.filter((other) => !used.has(other));
  return [{ kind: 'reply', message, calls }, ...rest.map(alone)];
}

function isOther(message: Message): message is Exclude<Message, AssistantMessage> {
  return message.role !== 'assistant';
}

function alone(message: Exclude<Message, AssistantMessage>): HistoryItem {
  return { kind: 'other', message };
}
