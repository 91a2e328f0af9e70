/**
 * The text of a Markdown file, or null when it is not one: not UTF-8, or with NUL bytes, which
 * only binary files and UTF-16 without a mark have. Byte order marks at the start are dropped.
 */
export function decodeMarkdown(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/^\uFEFF+/u, '');
  } catch {
    return null;
  }
}
