import type { Token } from 'markdown-it';
import { readFrontMatter } from './front-matter.ts';
import { isSectionHeading, parseMarkdown } from './markdown.ts';
import { readComments, toPlainText, withoutComments } from './plain-text.ts';
import { atOnce, type Steps } from './slices.ts';
import { tameLine } from './tame.ts';

/** A piece of a Markdown file: what stands under one second-level heading of its root. */
export interface Section {
  /** The heading as plain text on one line, or the front matter's title; empty for neither. */
  readonly title: string;
  /** First and last line, counted from 1; the heading's own lines are the first. */
  readonly startLine: number;
  readonly endLine: number;
  /** The source below the heading, without blank lines around it. */
  readonly body: string;
  /** The body without HTML comments: what readers of the rendered page may know. */
  readonly shown: string;
  /** The body as plain text, without markup, link targets and HTML. */
  readonly plain: string;
  /** Whether anything but headings is in it. */
  readonly hasText: boolean;
}

export interface SplitMarkdown {
  /** What stands before the first section, or the whole file when it has none; null if blank. */
  readonly preamble: Section | null;
  readonly sections: readonly Section[];
}

/**
 * Splits a Markdown text at the second-level headings of its root, as CommonMark 0.31 reads it:
 * both heading forms, none inside code, HTML, quotes or lists. Front matter is no text; its title
 * is that of what stands before the first section. Pure. Markup made to be slow is read by its
 * blocks only, so that the time stays in proportion to the text.
 */
export function splitSections(markdown: string): SplitMarkdown {
  return atOnce(splitInSteps(markdown));
}

/** As {@link splitSections}, in steps. */
export function* splitInSteps(markdown: string): Steps<SplitMarkdown> {
  const lines = splitLines(markdown.replace(/^\uFEFF+/u, ''));
  const front = readFrontMatter(lines);
  lines.fill('', 0, front.lines);
  yield;
  const tamedLines = lines.map(tameLine);
  yield;
  const { tokens, costly } = yield* parseMarkdown(tamedLines.join('\n'));
  const starts = tokens.flatMap((token, index) => (isSectionHeading(token) ? [index] : []));

  const toSection = (from: number, to: number): Section => {
    const token = tokens[from];
    const heading = token !== undefined && isSectionHeading(token) ? token : null;
    const [first, bodyLine] = heading?.map ?? [0, 0];
    const endLine = tokens[to]?.map?.[0] ?? lines.length;
    const title = heading === null ? '' : oneLine(toPlainText(tokens.slice(from, from + 3)));
    const content = tokens.slice(heading === null ? from : from + 3, to);
    const tamed = tamedLines.slice(bodyLine, endLine).join('\n').trim();
    return {
      title,
      startLine: first + 1,
      endLine,
      body: lines.slice(bodyLine, endLine).join('\n').trim(),
      shown: withoutComments(tamed, costly ? null : readComments(content)),
      hasText: hasText(content),
      plain: costly ? withoutComments(tamed, null) : toPlainText(content),
    };
  };

  const sections: Section[] = [];
  for (const [index, from] of starts.entries()) {
    sections.push(toSection(from, starts[index + 1] ?? tokens.length));
    yield;
  }
  const opening = toSection(0, starts[0] ?? tokens.length);
  const hasPreamble = starts[0] !== 0 && opening.body !== '';
  const title = oneLine(front.title ?? '');
  return { preamble: hasPreamble ? { ...opening, title } : null, sections };
}

function splitLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/u);
}

/** Whether a block other than a heading begins at the root. */
function hasText(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ level, type, nesting }) => level === 0 && nesting >= 0 && type !== 'heading_open',
  );
}

/** A title on one line cannot forge a line of its own in a result. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
