import MarkdownIt, { type Token } from 'markdown-it';
import type { Steps } from './slices.ts';
import { isCostly } from './tame.ts';

/** Deep enough for whatever {@link tame} leaves: what is nested deeper would be dropped. */
const MAX_NESTING = 250;

const reader = new MarkdownIt('commonmark', { maxNesting: MAX_NESTING });
// Targets are never shown: a link is a link, whatever it leads to.
reader.validateLink = () => true;
reader.normalizeLink = (target) => target;
reader.normalizeLinkText = (text) => text;

/** A Markdown text as blocks in a row, with the inline markup of each read unless it is costly. */
export interface ParsedMarkdown {
  readonly tokens: readonly Token[];
  /** Whether inline markup was left unread. */
  readonly costly: boolean;
}

/** Parses as CommonMark 0.31 says, block by block. */
export function* parseMarkdown(source: string): Steps<ParsedMarkdown> {
  const costly = isCostly(source);
  yield;
  const tokens: Token[] = [];
  const environment = {};
  const normal = source.replace(/\r\n?/gu, '\n').replaceAll('\0', '\uFFFD');
  reader.block.parse(normal, reader, environment, tokens);
  yield;
  if (costly) return { tokens, costly };
  for (const token of tokens) {
    if (token.type !== 'inline') continue;
    reader.inline.parse(token.content, reader, environment, token.children ?? []);
    yield;
  }
  return { tokens, costly };
}

/** Whether a token opens a heading of level 2 of the document itself, not one in a quote or a list. */
export function isSectionHeading({ type, tag, level }: Token): boolean {
  return type === 'heading_open' && tag === 'h2' && level === 0;
}
