import type { Locale, LocalizedText } from '../../machines/vocabulary/json.ts';
import type { RepairMessage, StopBlockMessage } from '../../machines/vocabulary/messages.ts';
import { inOneLine } from './notes.ts';
import { fill, STOP_BLOCKED } from './texts.ts';

/** How to mend a reply, by code, whatever the protocol; the gap takes the detail. */
const COMMON_REPAIRS: Readonly<Record<string, LocalizedText>> = {
  content_filter: {
    zh: '你的上一条回复被内容过滤器拦下，没有内容。请换一种说法，或者说明你不能回答。',
    en: 'Your last reply was withheld by a content filter and had no content. Put it differently, or say that you cannot answer.',
  },
  too_many_calls: {
    zh: '你的上一条回复里工具调用太多，一个都没有执行。一条回复最多 {} 个，请分几次调用。',
    en: 'Your last reply held too many tool calls, and none of them ran. Make at most {} in one reply, and the rest later.',
  },
};

/** For a code that no text is written for. */
const UNREADABLE: LocalizedText = {
  zh: '无法读懂你的上一条回复（{}），所以没有采用。请重新回复。',
  en: 'Your last reply could not be read ({}), so it was not used. Please reply again.',
};

/** Tells the model how to mend its reply, from the protocol's own texts first. */
export function renderRepair(
  { code, detail }: RepairMessage,
  texts: Readonly<Record<string, LocalizedText>>,
  locale: Locale,
): string {
  const own = Object.hasOwn(texts, code) ? texts[code] : undefined;
  const common = Object.hasOwn(COMMON_REPAIRS, code) ? COMMON_REPAIRS[code] : undefined;
  const text = own ?? common;
  if (text !== undefined) return fill(text, locale, detail ?? '');
  return fill(UNREADABLE, locale, detail === null ? code : `${code}: ${detail}`);
}

/** Tells the model what Stop hooks found left to do. */
export function renderStopBlock({ reasons }: StopBlockMessage, locale: Locale): string {
  const lines = reasons.map(({ source, text }) => `- ${inOneLine(source)}: ${text}`);
  return fill(STOP_BLOCKED, locale, lines.join('\n'));
}
