import { codeOf } from '../../machines/vocabulary/exact-text.ts';

/** Control and formatting characters, line separators and lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Line ends and tabs stay; so do the joiners that scripts and emoji are written with. */
const KEPT = new Set(['\n', '\t', '\u200c', '\u200d']);

/**
 * Text from models, tools and files, made safe to print: escape sequences, text direction and the
 * like are shown as their code, such as `\u{1b}`.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(UNPRINTABLE, (character) => (KEPT.has(character) ? character : codeOf(character)));
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/gu, ' ').trim();
}

/** JSON text in which strings hold no unprintable character; the value stays the same. */
export function printableJson(value: unknown, space?: number): string {
  return printableJsonText(JSON.stringify(value, null, space) ?? 'null');
}

/** The same for JSON, or lines of it, that is text already. */
export function printableJsonText(json: string): string {
  // Line ends are the only such characters outside strings.
  return json.replace(UNPRINTABLE, (character) =>
    character === '\n' ? character : character.split('').map(escapeUnit).join(''),
  );
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
