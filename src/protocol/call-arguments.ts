import type { Locale } from '../../machines/vocabulary/json.ts';
import type { ParsedCall } from '../../machines/vocabulary/step.ts';
import { type ArgumentsFailure, type ArgumentsReading, parseArguments } from './json-arguments.ts';
import { inOneLine } from './notes.ts';
import { ARGUMENTS, ARGUMENTS_AT, fill } from './texts.ts';

const EXCERPT_LENGTH = 30;

/** A call's arguments from JSON text, with a refusal worded for the model. */
export function callArguments(text: unknown, locale: Locale): ParsedCall['arguments'] {
  return worded(parseArguments(text), locale);
}

/** A reading of arguments with a refusal worded for the model. */
export function worded(reading: ArgumentsReading, locale: Locale): ParsedCall['arguments'] {
  if (reading.ok) return reading;
  const { code } = reading;
  return { ok: false, code, message: fill(ARGUMENTS[code], locale, excerpt(reading, locale)) };
}

function excerpt({ text, at }: ArgumentsFailure, locale: Locale): string {
  const quoted = inOneLine(text.slice(at, at + EXCERPT_LENGTH)).replace(
    /\p{Surrogate}/gu,
    '\ufffd',
  );
  return quoted === '' ? '' : fill(ARGUMENTS_AT, locale, JSON.stringify(quoted));
}
