import { closingFence, openingFence } from './fences.ts';
import { afterLineBreak, isLineBreak, lineEndOf, skipBlanks, trimText } from './lines.ts';

/** A tag that opens or closes a block of reasoning. */
export interface ThinkTag {
  readonly opens: boolean;
  readonly start: number;
  readonly end: number;
}

const TAG = /<\/?(?:think|thinking|thought|reasoning|seed:think)>|◁\/?think▷|\[\/?THINK\]/giu;

/** All tags of reasoning blocks, in order, wherever they stand. */
export function findThinkTags(text: string): readonly ThinkTag[] {
  const tags: ThinkTag[] = [];
  TAG.lastIndex = 0;
  for (let match = TAG.exec(text); match !== null; match = TAG.exec(text)) {
    const [tag] = match;
    tags.push({ opens: !tag.includes('/'), start: match.index, end: match.index + tag.length });
  }
  return tags;
}

/**
 * A plain answer without its blocks of reasoning. A block counts where it starts a line, outside
 * fences; a closing tag alone ends reasoning whose opening tag the chat template had supplied.
 * `open` tells of a block that never closes.
 */
export function stripThinking(text: string): { readonly text: string; readonly open: boolean } {
  const tags = findThinkTags(text);
  if (tags.length === 0) return { text: trimText(text), open: false };
  const kept: string[] = [];
  let next = 0;
  let from = 0;
  let line = 0;
  let lineEnd = -1;
  while (line < text.length) {
    const at = skipBlanks(text, line);
    if (lineEnd < line) lineEnd = lineEndOf(text, line);
    while (next < tags.length && (tags[next] as ThinkTag).start < line) next += 1;
    const tag = tags[next];
    if (tag?.opens && tag.start === at) {
      let close = next + 1;
      while (tags[close]?.opens) close += 1;
      kept.push(text.slice(from, line));
      if (close === tags.length) return { text: trimText(kept.join('')), open: true };
      line = from = (tags[close] as ThinkTag).end;
      next = close + 1;
      continue;
    }
    const opening = openingFence(text, at, lineEnd);
    if (opening !== null) {
      // A fence that never closes runs to the end, as in CommonMark.
      line = closingFence(text, opening)?.end ?? text.length;
      continue;
    }
    const closer = orphanCloser(text, tags, { next, line, lineEnd });
    if (closer !== null) {
      kept.length = 0;
      line = from = closer.end;
      continue;
    }
    line = afterLineBreak(text, lineEnd);
  }
  kept.push(text.slice(from));
  return { text: trimText(kept.join('')), open: false };
}

function orphanCloser(
  text: string,
  tags: readonly ThinkTag[],
  { next, line, lineEnd }: { next: number; line: number; lineEnd: number },
): ThinkTag | null {
  for (let index = next; index < tags.length; index += 1) {
    const tag = tags[index] as ThinkTag;
    if (tag.start >= lineEnd) return null;
    const startsLine = tag.start === skipBlanks(text, line);
    const endsLine = skipBlanks(text, tag.end) >= lineEnd && isLineBreak(text[lineEnd]);
    if (!tag.opens && (startsLine || endsLine)) return tag;
  }
  return null;
}
