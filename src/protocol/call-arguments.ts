import type { Locale } from '../../machines/vocabulary/json.ts';
import type { ToolSpec } from '../../machines/vocabulary/model.ts';
import type { ParsedCall } from '../../machines/vocabulary/step.ts';
import {
  type ArgumentsCode,
  type ArgumentsFailure,
  type ArgumentsReading,
  parseArguments,
} from './json-arguments.ts';
import { inOneLine } from './notes.ts';
import { ARGUMENTS, ARGUMENTS_AT, fill } from './texts.ts';

const EXCERPT_LENGTH = 30;

/** A call's arguments from JSON text, or a value, with a refusal worded for the model. */
export function callArguments(text: unknown, locale: Locale): ParsedCall['arguments'] {
  return worded(parseArguments(text), locale);
}

/** A reading of arguments with a refusal worded for the model. */
function worded(reading: ArgumentsReading, locale: Locale): ParsedCall['arguments'] {
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

/**
 * What a call's input says as text: JSON, or the plain text of the tool's text field. An object counts as
 * JSON when it has one of the tool's properties; JSON that is cut off or too deep is never plain text.
 * Of a tool that does not exist the text is kept, so that only its name is at fault.
 */
export function textArguments(
  input: string,
  spec: ToolSpec | undefined,
  locale: Locale,
): ParsedCall['arguments'] {
  const reading = parseArguments(input);
  if (spec === undefined) return reading.ok ? reading : { ok: true, value: { input } };
  const { textField } = spec;
  if (textField === null) return worded(reading, locale);
  const plain = { ok: true, value: { [textField]: input } } as const;
  if (!input.startsWith('{')) return plain;
  if (!reading.ok) return NEVER_PLAIN.has(reading.code) ? worded(reading, locale) : plain;
  const known = propertiesOf(spec).add(textField);
  return Object.keys(reading.value).some((key) => known.has(key)) ? reading : plain;
}

const NEVER_PLAIN: ReadonlySet<ArgumentsCode> = new Set(['truncated', 'too_deep']);

function propertiesOf({ inputSchema }: ToolSpec): Set<string> {
  const { properties } = inputSchema;
  const isObject = typeof properties === 'object' && properties !== null;
  return new Set(isObject ? Object.keys(properties) : []);
}
