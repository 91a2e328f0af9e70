import type { Message } from '../../machines/vocabulary/messages.ts';

/** Copies of messages by the message: a run's history is copied once, not once per reader. */
const copies = new WeakMap<Message, Message>();

/** A run's history for code that is not the run's: copies that nobody can change. */
export function frozenHistory(messages: readonly Message[]): readonly Message[] {
  const history = messages.map((message) => {
    const known = copies.get(message);
    if (known !== undefined) return known;
    const copy = deepFreeze(structuredClone(message));
    copies.set(message, copy);
    return copy;
  });
  return Object.freeze(history);
}

/** The value itself, with all that is in it: nobody can change it any more. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
