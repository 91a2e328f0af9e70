import type { ContextNote } from '../vocabulary/messages.ts';
import type { ByCall } from './agent.types.ts';

// Reading values of unknown shape: each of these throws when the value has not the shape wanted,
// and `reading` catches it.

type Fields = Readonly<Record<string, unknown>>;

class Unreadable extends Error {}

/** What `read` gives, or `otherwise` when it meets what cannot be read; getters may throw too. */
export function reading<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

export function required(holds: boolean): void {
  if (!holds) throw new Unreadable();
}

/** An object by call id, without the entries that cannot be read. */
export function byCall<Value>(answer: unknown, read: (entry: unknown) => Value): ByCall<Value> {
  return reading(() => {
    const entries = Object.entries(fieldsOf(answer)).flatMap(([id, entry]) =>
      reading((): readonly (readonly [string, Value])[] => [[id, read(entry)]], []),
    );
    return Object.fromEntries(entries);
  }, {});
}

export function fieldsOf(value: unknown): Fields {
  required(typeof value === 'object' && value !== null && !Array.isArray(value));
  return value as Fields;
}

export function listOf(value: unknown): readonly unknown[] {
  required(Array.isArray(value));
  return value as readonly unknown[];
}

export function notesOf(value: unknown): readonly ContextNote[] {
  return listOf(value).map((note) => {
    const { source, text } = fieldsOf(note);
    required(typeof source === 'string' && typeof text === 'string');
    return { source, text } as ContextNote;
  });
}

export function timeOf(value: unknown): number {
  required(typeof value === 'number' && Number.isFinite(value));
  return value as number;
}

export function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

export function oneOf<const Word extends string>(value: unknown, words: readonly Word[]): Word {
  required(words.some((word) => word === value));
  return value as Word;
}
