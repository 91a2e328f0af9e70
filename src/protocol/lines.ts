const LINE_BREAKS = new Set(['\n', '\r', '\u2028', '\u2029', '\u0085']);
const LINE_BREAK = /[\n\r\u2028\u2029\u0085]/g;
/** Invisible characters that carry no meaning; the joiners U+200C and U+200D do, and stay. */
const INVISIBLE = new Set(['\u200b', '\u2060', '\ufeff', '\u200e', '\u200f', '\u00ad', '\u180e']);
const WHITE_SPACE = /\s/u;

export function isLineBreak(char: string | undefined): boolean {
  return char !== undefined && LINE_BREAKS.has(char);
}

export function isInvisible(char: string | undefined): boolean {
  return char !== undefined && INVISIBLE.has(char);
}

/** White space within a line, or an invisible character. */
export function isBlank(char: string | undefined): boolean {
  if (char === undefined || isLineBreak(char)) return false;
  return char === ' ' || char === '\t' || isInvisible(char) || WHITE_SPACE.test(char);
}

/** Where the line that holds `from` ends: at its line break, or at the end of the text. */
export function lineEndOf(text: string, from: number): number {
  LINE_BREAK.lastIndex = from;
  const found = LINE_BREAK.exec(text);
  return found === null ? text.length : found.index;
}

/** Where the line after one that ends at `lineEnd` starts; CRLF is one break. */
export function afterLineBreak(text: string, lineEnd: number): number {
  if (lineEnd >= text.length) return text.length;
  return text[lineEnd] === '\r' && text[lineEnd + 1] === '\n' ? lineEnd + 2 : lineEnd + 1;
}

/** Where the line that holds `position` starts, but not before `floor`. */
export function lineStartOf(text: string, position: number, floor: number): number {
  let start = position;
  while (start > floor && !isLineBreak(text[start - 1])) start -= 1;
  return start;
}

/** The first position from `from` on that holds no blank, within the line. */
export function skipBlanks(text: string, from: number): number {
  let position = from;
  while (isBlank(text[position])) position += 1;
  return position;
}

/** The first position from `from` on that holds neither a blank nor a line break. */
export function skipSpace(text: string, from: number): number {
  let position = from;
  while (isBlank(text[position]) || isLineBreak(text[position])) position += 1;
  return position;
}

/** Without white space and invisible characters at both ends. */
export function trimText(text: string): string {
  const start = skipSpace(text, 0);
  let end = text.length;
  while (end > start && (isBlank(text[end - 1]) || isLineBreak(text[end - 1]))) end -= 1;
  return text.slice(start, end);
}
