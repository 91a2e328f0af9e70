const LINE_BREAK = /[\n\r\u2028\u2029\u0085]/g;
/** Invisible characters that carry no meaning; the joiners U+200C and U+200D do, and stay. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;
/** White space beyond ASCII, line breaks aside. */
const WIDE_SPACE = new Set([0xa0, 0x1680, 0x202f, 0x205f, 0x3000]);

/** A character that ends a line. */
export function isLineBreak(char: string | undefined): boolean {
  return char !== undefined && isLineBreakCode(char.charCodeAt(0));
}

/** A character that nobody sees and that means nothing. */
export function isInvisible(char: string | undefined): boolean {
  return char !== undefined && isInvisibleCode(char.charCodeAt(0));
}

/** White space within a line, or an invisible character. */
export function isBlank(char: string | undefined): boolean {
  return char !== undefined && isBlankCode(char.charCodeAt(0));
}

function isLineBreakCode(code: number): boolean {
  return code === 10 || code === 13 || code === 0x2028 || code === 0x2029 || code === 0x85;
}

/** The characters of {@link INVISIBLE}, for a scanner that asks about each one. */
function isInvisibleCode(code: number): boolean {
  if (code >= 0x200b && code <= 0x2069) {
    if (code < 0x2060) return (code & ~1) === 0x200e || code === 0x200b || isBidiCode(code);
    return true;
  }
  return code === 0xfeff || code === 0xad || code === 0x61c || code === 0x180e;
}

function isBidiCode(code: number): boolean {
  return code >= 0x202a && code <= 0x202e;
}

function isBlankCode(code: number): boolean {
  if (code < 0x80) return code === 32 || code === 9 || code === 11 || code === 12;
  return (code >= 0x2000 && code <= 0x200a) || WIDE_SPACE.has(code) || isInvisibleCode(code);
}

function isSpaceCode(code: number): boolean {
  return isBlankCode(code) || isLineBreakCode(code);
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
  while (isBlankCode(text.charCodeAt(position))) position += 1;
  return position;
}

/** The first position from `from` on that holds neither a blank nor a line break. */
export function skipSpace(text: string, from: number): number {
  let position = from;
  while (isSpaceCode(text.charCodeAt(position))) position += 1;
  return position;
}

/** Without white space and invisible characters at both ends. */
export function trimText(text: string): string {
  const start = skipSpace(text, 0);
  let end = text.length;
  while (end > start && isSpaceCode(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Without the invisible characters in it. */
export function dropInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}
