/**
 * Text of models, tools, files and servers as people may see it. Each reader has its own function:
 * a screen (`printable`), a program (`printableJson`), a person who decides (`exactLine`), a name
 * that a person has to recognize (`isMisleading`), a comparison (`withoutInvisible`).
 */

/** What a terminal obeys or a reader cannot see: controls, formatting, line separators, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Line ends and tabs stay on a screen; so do the joiners that scripts and emoji are written with. */
const KEPT_ON_A_SCREEN = new Set(['\n', '\t', '\u200c', '\u200d']);

/** Everything that takes no room on a screen, turns text round, or looks like a space and is none. */
const INEXACT =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]|(?! )\p{Zs}/gu;

/** Controls, line ends and direction controls: no name needs one, and each makes it look like another. */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** What leaves no trace on a screen, by whatever property. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * Text made safe to print: escape sequences, text direction and the like are shown as their code,
 * such as `\u{1b}`. Line ends, tabs and joiners stay.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(UNPRINTABLE, (character) =>
      KEPT_ON_A_SCREEN.has(character) ? character : codeOf(character),
    );
}

/** The same on one line, of at most `longest` characters and a sign that more followed. */
export function printableLine(text: string, longest = Number.POSITIVE_INFINITY): string {
  const line = printable(text).replace(/\s+/gu, ' ').trim();
  if (line.length <= longest) return line;
  // A character is at most two units: one more than is kept is looked at, never the whole text.
  const characters = [...line.slice(0, 2 * (longest + 1))];
  return characters.length <= longest ? line : `${characters.slice(0, longest).join('')}…`;
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

/**
 * Text a person decides on: on one line, and nothing in it is invisible. What would be is shown as
 * its code, such as `\u{202e}`.
 */
export function exactLine(text: string): string {
  return text.replace(INEXACT, codeOf);
}

/** The lines of a JSON value that a person decides on, nothing in them invisible. */
export function exactJson(value: unknown): readonly string[] {
  return (JSON.stringify(value, null, 2) ?? 'null').split('\n').map(exactLine);
}

/** Whether a one-line text, such as a path or a to-do, could be shown as something else than it is. */
export function isMisleading(text: string): boolean {
  return MISLEADING.test(text);
}

/** Text without what nobody sees, for comparing. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}

function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
