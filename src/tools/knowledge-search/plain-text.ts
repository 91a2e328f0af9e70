import type { Nodes } from 'mdast';

const INLINE = new Set(['paragraph', 'heading', 'tableCell']);

/**
 * The text a reader sees, blocks on lines of their own: no marks, no link targets, no HTML.
 * Walks with a stack of its own: nesting made to be deep must not exhaust the call stack.
 */
export function toPlainText(nodes: readonly Nodes[]): string {
  let text = '';
  const stack: (Nodes | string)[] = [...nodes].reverse();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (typeof node === 'string') text += node;
    else if (node.type === 'text' || node.type === 'inlineCode') text += node.value;
    else if (node.type === 'code') text += `${node.value}\n`;
    else if (node.type === 'break') text += '\n';
    else if (node.type === 'image' || node.type === 'imageReference') text += node.alt ?? '';
    else if ('children' in node) {
      if (INLINE.has(node.type)) stack.push('\n');
      for (let index = node.children.length - 1; index >= 0; index -= 1) {
        const child = node.children[index];
        if (child !== undefined) stack.push(child);
      }
    }
  }
  return text.trim();
}

/** The HTML comments among nodes, as they stand in the source. */
export function readComments(nodes: readonly Nodes[]): readonly string[] {
  const comments: string[] = [];
  const stack: Nodes[] = [...nodes];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === 'html' && node.value.includes('<!--')) comments.push(node.value);
    else if ('children' in node) stack.push(...node.children);
  }
  return comments;
}

/**
 * Removes HTML comments: what an author took out of the page is not published. With `comments`
 * only those are removed (a comment in a code block is an example); with null, all that look so.
 */
export function withoutComments(text: string, comments: readonly string[] | null): string {
  if (comments?.length === 0 || !text.includes('<!--')) return text;
  if (comments === null) return cutComments(text);
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
