import { isBlank } from './lines.ts';
import { type Label, matchPlainLabel, mayStartLabel } from './react-text.labels.ts';

const SEPARATORS = new Set(',;.|!?)，。；、！？）…');

/** A label found within a line; `isExact` when it starts with a capital, as asked for. */
export interface InlineLabel extends Label {
  readonly isExact: boolean;
}

/**
 * The first label within a stretch of one line that `accept` takes. It must follow a blank or the
 * end of a clause: behind a quote mark or an opening bracket it is only mentioned.
 */
export function findInlineLabel(
  text: string,
  { from, end }: { readonly from: number; readonly end: number },
  accept: (label: InlineLabel) => boolean,
): InlineLabel | null {
  for (let at = from; at < end; at += 1) {
    const char = text[at] as string;
    if (isBlank(char) || !mayStartLabel(String.fromCodePoint(text.codePointAt(at) ?? 0))) continue;
    let start = at;
    while (start > from && at - start < 3 && isEmphasis(text[start - 1])) start -= 1;
    if (start > from && !isBoundary(text[start - 1])) continue;
    const label = matchPlainLabel(text, at, { start, emphasis: text.slice(start, at) });
    if (label === null || label.valueStart > end) continue;
    const found = { ...label, isExact: char !== char.toLowerCase() || char > '\u2e7f' };
    if (accept(found)) return found;
  }
  return null;
}

function isEmphasis(char: string | undefined): boolean {
  return char === '*' || char === '_';
}

function isBoundary(char: string | undefined): boolean {
  return isBlank(char) || (char !== undefined && SEPARATORS.has(char));
}
