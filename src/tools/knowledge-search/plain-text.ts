import type { Token } from 'markdown-it';

/**
 * The text a reader sees, blocks on lines of their own: no marks, no link targets, no HTML. Where
 * inline markup was not read, the source of the block stands for it.
 */
export function toPlainText(tokens: readonly Token[]): string {
  let text = '';
  for (const token of tokens) {
    if (token.type === 'inline') text += `${inlineText(token)}\n`;
    else if (token.type === 'fence' || token.type === 'code_block')
      text += `${token.content.replace(/\n$/u, '')}\n`;
  }
  return text.trim();
}

function inlineText({ children, content }: Token): string {
  if (children === null || children.length === 0) return content;
  return children.map(textOf).join('');
}

function textOf(token: Token): string {
  if (token.type === 'softbreak' || token.type === 'hardbreak') return '\n';
  if (token.type === 'image') return (token.children ?? []).map(textOf).join('');
  const isText = token.type === 'text' || token.type === 'text_special';
  return isText || token.type === 'code_inline' ? token.content : '';
}

/** The HTML comments among blocks, as they stand in the source. */
export function readComments(tokens: readonly Token[]): readonly string[] {
  return tokens
    .flatMap((token) => [token, ...(token.children ?? [])])
    .filter(({ type, content }) => type.startsWith('html_') && content.includes('<!--'))
    .map(({ content }) => content.replace(/\n$/u, ''));
}

/** Comments of one section beyond which they are not told from examples of comments. */
const MAX_COMMENTS = 200;

/**
 * Removes HTML comments: what an author took out of the page is not published. With `comments`
 * only those are removed (a comment in a code block is an example); with null, all that look so.
 */
export function withoutComments(text: string, comments: readonly string[] | null): string {
  if (comments?.length === 0 || !text.includes('<!--')) return text;
  if (comments === null || comments.length > MAX_COMMENTS) return cutComments(text);
  let shown = text;
  for (const comment of comments) shown = shown.replaceAll(comment, () => cutComments(comment));
  // A comment in a quote or list item stands in the source with its marks between the lines.
  const missed = comments.some((comment) => !text.includes(comment));
  return (missed ? cutComments(shown) : shown).trim();
}

function cutComments(text: string): string {
  let shown = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf('<!--', from);
    if (start < 0) return (shown + text.slice(from)).trim();
    shown += text.slice(from, start);
    const end = text.indexOf('-->', start + 4);
    if (end < 0) return shown.trim();
    from = end + 3;
  }
}
