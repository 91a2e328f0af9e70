import { afterLineBreak, isBlank, lineEndOf, skipBlanks, trimText } from './lines.ts';

/** The start of a fenced block: its marker, and where the line after it starts. */
export interface FenceOpening {
  readonly marker: '`' | '~';
  readonly length: number;
  readonly contentStart: number;
}

/** A fenced block; `end` lies behind its closing line. */
export interface Fence {
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly end: number;
}

const INFO_WORD = /^[\w+#.-]*$/u;

/**
 * The fence that opens at `at`, if one does (CommonMark 4.5, at any indentation). A backtick fence
 * with another backtick on its line is a code span, not a fence.
 */
export function openingFence(
  text: string,
  at: number,
  lineEnd = lineEndOf(text, at),
): FenceOpening | null {
  const marker = text[at];
  if (marker !== '`' && marker !== '~') return null;
  const length = runLength(text, at, marker);
  if (length < 3) return null;
  if (marker === '`' && text.slice(at + length, lineEnd).includes('`')) return null;
  return { marker, length, contentStart: afterLineBreak(text, lineEnd) };
}

/**
 * Where the block closes: the first line of nothing but its marker. With `glued`, a line may also
 * end in the marker (`{"a": 1}` and three backticks right behind). Null when it stays open.
 */
export function closingFence(
  text: string,
  { marker, length, contentStart }: FenceOpening,
  glued = false,
): Fence | null {
  let start = contentStart;
  while (start < text.length) {
    const lineEnd = lineEndOf(text, start);
    const end = afterLineBreak(text, lineEnd);
    const at = skipBlanks(text, start);
    const run = runLength(text, at, marker);
    if (run >= length && skipBlanks(text, at + run) >= lineEnd) {
      return { contentStart, contentEnd: start, end };
    }
    if (glued && run === 0) {
      const closeAt = gluedCloser(text, start, { lineEnd, marker, length });
      if (closeAt !== null) return { contentStart, contentEnd: closeAt, end };
    }
    start = end;
  }
  return null;
}

/** The content, when the whole trimmed text is one fenced block; null otherwise. */
export function unwrapFence(text: string): string | null {
  const opening = openingFence(text, 0);
  if (opening === null) return unwrapInline(text);
  const fence = closingFence(text, opening, true);
  if (fence === null || fence.end < text.length) return null;
  const firstLine = text.slice(opening.length, lineEndOf(text, opening.length)).trim();
  const content = withoutLastBreak(text.slice(fence.contentStart, fence.contentEnd));
  return INFO_WORD.test(firstLine) ? content : `${firstLine}\n${content}`.trimEnd();
}

function unwrapInline(text: string): string | null {
  const length = runLength(text, 0, '`');
  if (length < 3 || text.length < 2 * length) return null;
  const inner = text.slice(length, text.length - length);
  if (!text.endsWith('`'.repeat(length)) || inner.includes('`'.repeat(3))) return null;
  if (lineEndOf(inner, 0) < inner.length || inner.startsWith('`') || inner.endsWith('`'))
    return null;
  const wordEnd = skipWord(inner);
  const rest = trimText(inner.slice(wordEnd));
  const isNamed = wordEnd > 0 && (rest.startsWith('{') || rest.startsWith('['));
  return isNamed ? rest : trimText(inner);
}

function skipWord(text: string): number {
  let position = 0;
  while (/[a-z0-9]/iu.test(text[position] ?? '')) position += 1;
  return position;
}

function gluedCloser(
  text: string,
  start: number,
  line: { lineEnd: number; marker: string; length: number },
): number | null {
  let end = line.lineEnd;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  let run = end;
  while (run > start && text[run - 1] === line.marker) run -= 1;
  return end - run >= line.length ? run : null;
}

function runLength(text: string, at: number, char: string): number {
  let length = 0;
  while (text[at + length] === char) length += 1;
  return length;
}

function withoutLastBreak(text: string): string {
  if (text.endsWith('\r\n')) return text.slice(0, -2);
  return /[\n\r\u2028\u2029\u0085]$/u.test(text.slice(-1)) ? text.slice(0, -1) : text;
}
