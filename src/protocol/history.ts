import type {
  AssistantMessage,
  CallMessage,
  Message,
  ObservationMessage,
} from '../../machines/vocabulary/messages.ts';

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
  const items: HistoryItem[] = [];
  let start = 0;
  while (start < messages.length) {
    const first = messages[start] as Message;
    let end = start + 1;
    while (end < messages.length && messages[end]?.role !== 'assistant') end += 1;
    const others = messages.slice(start, end).filter(isOther);
    if (first.role !== 'assistant') items.push(...others.map(alone));
    else items.push(...pairReply(first, others));
    start = end;
  }
  return items;
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
