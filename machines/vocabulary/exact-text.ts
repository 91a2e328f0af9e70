/** Everything that takes no room on a screen, turns text round, or looks like a space and is none. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]|(?! )\p{Zs}/gu;

/**
 * Text a person decides on: on one line, and nothing in it is invisible. What would be is shown as
 * its code, such as `\u{202e}`.
 */
export function exactLine(text: string): string {
  return text.replace(INVISIBLE, codeOf);
}

/** The lines of a JSON value that a person decides on, nothing in them invisible. */
export function exactJson(value: unknown): readonly string[] {
  return (JSON.stringify(value, null, 2) ?? 'null').split('\n').map(exactLine);
}

/** A character as its code. */
export function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
