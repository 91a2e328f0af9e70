import type { Heading, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { readComments, toPlainText, withoutComments } from './plain-text.ts';
import { isCostly, tame } from './tame.ts';

/** A piece of a Markdown file: what stands under one second-level heading of its root. */
export interface Section {
  /** The heading as plain text on one line; empty for an empty heading or no heading. */
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

/** Inline constructs, whose parsing time can grow with the square of a paragraph. */
const BLOCKS_ONLY = {
  disable: {
    null: [
      'attention',
      'autolink',
      'characterEscape',
      'characterReference',
      'codeText',
      'hardBreakEscape',
      'htmlText',
      'labelStartImage',
      'labelStartLink',
      'labelEnd',
    ],
  },
};

/**
 * Splits a Markdown text at the second-level headings of its root, as CommonMark 0.31 reads it:
 * both heading forms, none inside code, HTML, quotes or lists. Pure. Markup made to be slow is
 * read by its blocks only, so that the time stays in proportion to the text.
 */
export function splitSections(markdown: string): SplitMarkdown {
  const text = markdown.replace(/^\uFEFF+/u, '');
  const source = tame(text);
  const costly = isCostly(source);
  const { children } = fromMarkdown(source, costly ? { extensions: [BLOCKS_ONLY] } : {});
  const lines = text.split(/\r\n|\r|\n/u);
  const tamedLines = source === text ? lines : source.split(/\r\n|\r|\n/u);
  const starts = children.flatMap((node, index) => (isSectionHeading(node) ? [index] : []));

  const toSection = (from: number, to: number): Section => {
    const node = children[from];
    const heading = node !== undefined && isSectionHeading(node) ? node : null;
    const startLine = heading?.position?.start.line ?? 1;
    const next = children[to];
    const endLine = next?.position === undefined ? lines.length : next.position.start.line - 1;
    const bodyLine = heading?.position?.end.line ?? 0;
    const content = children.slice(heading === null ? from : from + 1, to);
    const tamed = tamedLines.slice(bodyLine, endLine).join('\n').trim();
    return {
      title: heading === null ? '' : oneLine(toPlainText([heading])),
      startLine,
      endLine,
      body: lines.slice(bodyLine, endLine).join('\n').trim(),
      shown: withoutComments(tamed, costly ? null : readComments(content)),
      hasText: content.some(({ type }) => type !== 'heading'),
      plain: costly ? withoutComments(tamed, null) : toPlainText(content),
    };
  };

  const sections = starts.map((from, index) =>
    toSection(from, starts[index + 1] ?? children.length),
  );
  const first = toSection(0, starts[0] ?? children.length);
  const hasPreamble = starts[0] !== 0 && first.body !== '';
  return { preamble: hasPreamble ? first : null, sections };
}

function isSectionHeading(node: RootContent): node is Heading {
  return node.type === 'heading' && node.depth === 2;
}

/** A title on one line cannot forge a line of its own in a result. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
