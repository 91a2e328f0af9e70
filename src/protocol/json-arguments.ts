import { canonicalJson, type Json, type JsonObject } from '../../machines/vocabulary/json.ts';
import { unwrapFence } from './fences.ts';
import { type JsonReading, MAX_DEPTH, readJson, skipJsonSpace } from './json-reader.ts';
import { trimText } from './lines.ts';

/** Why arguments were refused. */
export type ArgumentsCode =
  | 'invalid_json'
  | 'not_object'
  | 'multiple_values'
  | 'too_deep'
  | 'truncated';

/** Arguments that were refused: why, and the piece of text at the fault (may be empty). */
export interface ArgumentsFailure {
  readonly ok: false;
  readonly code: ArgumentsCode;
  /** Where in `text` the fault lies, in UTF-16 units. */
  readonly at: number;
  /** The text that was read; `at` counts from its start. */
  readonly text: string;
}

/** Arguments as read, or refused. */
export type ArgumentsReading = { readonly ok: true; readonly value: JsonObject } | ArgumentsFailure;

const FENCE_LINE = /^[ \t]*(?:```|~~~)/gm;

/**
 * The arguments of a tool call, from the text a model gave (or, from some providers, a value that
 * is parsed already). Nothing at all, blanks and JSON's `null` are `{}`. Accepted beside plain
 * JSON: one extra level of string encoding, one whole fence around, a byte order mark, raw control
 * characters in strings, a trailing comma, and the same object written several times. All else is
 * refused with a code, and nothing is ever completed. Total, and linear in the text.
 */
export function parseArguments(raw: unknown): ArgumentsReading {
  if (raw === null || raw === undefined) return { ok: true, value: {} };
  if (typeof raw === 'string') return parseText(raw, true);
  const text = stringify(raw);
  return text === null ? refuse('invalid_json', '', 0) : parseText(text, false);
}

function parseText(raw: string, mayBeEncoded: boolean): ArgumentsReading {
  const text = raw.startsWith('\ufeff') ? raw.slice(1) : raw;
  if (trimText(text) === '') return { ok: true, value: {} };
  const start = skipJsonSpace(text, 0);
  if (text.startsWith('```', start) || text.startsWith('~~~', start)) return parseFenced(text);
  const first = readJson(text, start);
  if (first.status !== 'complete') return refuseReading(text, first, start);
  const end = skipJsonSpace(text, first.end);
  const afterwards = end < text.length ? readRepeats(text, end, first) : null;
  if (afterwards !== null) return afterwards;
  if (first.depth > MAX_DEPTH) return refuse('too_deep', text, start);
  return readValue(text, first.value, mayBeEncoded);
}

function readValue(text: string, value: Json, mayBeEncoded: boolean): ArgumentsReading {
  if (value === null) return { ok: true, value: {} };
  if (typeof value === 'string' && mayBeEncoded) {
    const inner = parseText(value, false);
    return inner.ok || trimText(value).startsWith('{') ? inner : refuse('not_object', text, 0);
  }
  if (typeof value !== 'object' || Array.isArray(value)) return refuse('not_object', text, 0);
  return { ok: true, value: value as JsonObject };
}

function parseFenced(text: string): ArgumentsReading {
  const inner = unwrapFence(trimText(text));
  if (inner === null) {
    const isOpen = !hasClosingLine(text);
    return refuse(isOpen ? 'truncated' : 'invalid_json', text, isOpen ? text.length : 0);
  }
  if (inner.startsWith('```') || inner.startsWith('~~~')) return refuse('invalid_json', text, 0);
  const reading = parseText(inner, true);
  // The model closed the fence, so it had finished: malformed, not cut off.
  const isMalformed = !reading.ok && reading.code === 'truncated';
  return isMalformed ? { ...reading, code: 'invalid_json' } : reading;
}

function hasClosingLine(text: string): boolean {
  FENCE_LINE.lastIndex = 0;
  return FENCE_LINE.test(text) && FENCE_LINE.test(text);
}

/** What stands behind a complete value: null when it is only the same value again. */
function readRepeats(text: string, from: number, first: JsonReading): ArgumentsReading | null {
  const canonical = first.depth > MAX_DEPTH ? null : canonicalJson(first.value);
  let at = from;
  while (at < text.length) {
    const startsValue = text[at] === '{' || text[at] === '[';
    const next = readJson(text, at);
    if (next.status !== 'complete') {
      return refuse(startsValue ? 'multiple_values' : 'invalid_json', text, at);
    }
    const isSame =
      canonical !== null && next.depth <= MAX_DEPTH && canonicalJson(next.value) === canonical;
    const end = skipJsonSpace(text, next.end);
    if (!isSame) {
      const isSeveral = startsValue || end >= text.length;
      return refuse(isSeveral ? 'multiple_values' : 'invalid_json', text, at);
    }
    at = end;
  }
  return null;
}

function refuseReading(
  text: string,
  { status, end }: JsonReading,
  start: number,
): ArgumentsFailure {
  const isCut = status === 'open' && '{["'.includes(text[start] ?? ' ');
  return refuse(isCut ? 'truncated' : 'invalid_json', text, end);
}

function refuse(code: ArgumentsCode, text: string, at: number): ArgumentsFailure {
  return { ok: false, code, at, text };
}

function stringify(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}
