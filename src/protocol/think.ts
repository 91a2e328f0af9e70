import { closingFence, openingFence } from './fences.ts';
import { afterLineBreak, isLineBreak, lineEndOf, skipBlanks, trimText } from './lines.ts';

/** A tag that opens or closes a block of reasoning. */
export interface ThinkTag {
  readonly opens: boolean;
  readonly start: number;
  readonly end: number;
}

const TAG = '(?:think|thinking|thought|reasoning|seed:think)';

/**
 * Finds the tags of a text, front to back. Each question must not ask about an earlier place than
 * the one before it; then all of them together read the text once.
 */
export class ThinkTags {
  private readonly text: string;
  private readonly tags = new RegExp(`</?${TAG}>|◁/?think▷|\\[/?THINK\\]`, 'giu');
  private readonly closers = new RegExp(`</${TAG}>|◁/think▷|\\[/THINK\\]`, 'giu');
  private tag: ThinkTag | null;
  private closer: ThinkTag | null;

  constructor(text: string) {
    this.text = text;
    this.tag = this.find(this.tags, 0);
    this.closer = this.find(this.closers, 0);
  }

  /** The first tag that starts at or behind `from`. */
  next(from: number): ThinkTag | null {
    if (this.tag !== null && this.tag.start < from) this.tag = this.find(this.tags, from);
    return this.tag;
  }

  /** The first closing tag that starts at or behind `from`. */
  nextCloser(from: number): ThinkTag | null {
    if (this.closer !== null && this.closer.start < from) {
      this.closer = this.find(this.closers, from);
    }
    return this.closer;
  }

  private find(pattern: RegExp, from: number): ThinkTag | null {
    pattern.lastIndex = from;
    const match = pattern.exec(this.text);
    if (match === null) return null;
    const [tag] = match;
    return { opens: !tag.includes('/'), start: match.index, end: match.index + tag.length };
  }
}

/**
 * A plain answer without its blocks of reasoning. A block counts where it starts a line, outside
 * fences; a closing tag alone ends reasoning whose opening tag the chat template had supplied.
 * `open` tells of a block that never closes.
 */
export function stripThinking(text: string): { readonly text: string; readonly open: boolean } {
  const tags = new ThinkTags(text);
  if (tags.next(0) === null) return { text: trimText(text), open: false };
  const kept: string[] = [];
  let from = 0;
  let line = 0;
  let lineEnd = -1;
  while (line < text.length) {
    const at = skipBlanks(text, line);
    if (lineEnd < line) lineEnd = lineEndOf(text, line);
    const tag = tags.next(line);
    if (tag === null) break;
    if (tag.opens && tag.start === at) {
      const closer = tags.nextCloser(tag.end);
      kept.push(text.slice(from, line));
      if (closer === null) return { text: trimText(kept.join('')), open: true };
      line = from = closer.end;
      continue;
    }
    const opening = openingFence(text, at, lineEnd);
    if (opening !== null) {
      // A fence that never closes runs to the end, as in CommonMark.
      line = closingFence(text, opening)?.end ?? text.length;
      continue;
    }
    const closer = closerInLine(text, tags, { line, at, lineEnd });
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

/** A closing tag without its opening one, which starts or ends the line. */
function closerInLine(
  text: string,
  tags: ThinkTags,
  { line, at, lineEnd }: { line: number; at: number; lineEnd: number },
): ThinkTag | null {
  let tag = tags.next(line);
  while (tag !== null && tag.start < lineEnd) {
    const endsLine = isLineBreak(text[lineEnd]) && skipBlanks(text, tag.end) >= lineEnd;
    if (!tag.opens && (tag.start === at || endsLine)) return tag;
    tag = tags.next(tag.end);
  }
  return null;
}
