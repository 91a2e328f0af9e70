import { Buffer } from 'node:buffer';
import type { Locale } from '../../machines/vocabulary/json.ts';

/**
 * Cuts a result to `maxBytes` of UTF-8, the closing mark included, so that what was left out is
 * said. No code point is split; lone surrogates become U+FFFD. A cap too small for the mark gives
 * the bare beginning.
 */
export function capResult(
  content: string,
  { locale, maxBytes }: { readonly locale: Locale; readonly maxBytes: number },
): string {
  const text = Buffer.from(content).toString('utf8');
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const mark =
    locale === 'zh'
      ? `\n[结果过长，已截断：全长 ${bytes} 字节]`
      : `\n[The result was cut here: ${bytes} bytes in all]`;
  const room = maxBytes - Buffer.byteLength(mark);
  return room <= 0 ? cutUtf8(text, maxBytes) : cutUtf8(text, room) + mark;
}

/** The longest beginning of `text` that has at most `maxBytes` of UTF-8 and whole code points. */
function cutUtf8(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let end = Math.min(Math.max(maxBytes, 0), bytes.length);
  // 10xxxxxx continues a code point that began before.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
