import type { Locale, LocalizedText } from '../../machines/vocabulary/json.ts';
import type { Message } from '../../machines/vocabulary/messages.ts';

/** Why a reply could not be read, for people, by the code of its repair. `{detail}` is a value. */
const PROBLEMS: Readonly<Record<string, LocalizedText>> = {
  empty: { zh: '没有内容', en: 'it had no content' },
  truncated: { zh: '写完之前断了', en: 'it was cut off before it ended' },
  content_filter: { zh: '被内容过滤器拦下', en: 'a content filter withheld it' },
  too_many_calls: {
    zh: '工具调用超过 {detail} 个',
    en: 'it had more than {detail} tool calls',
  },
  no_label: {
    zh: '没有任何标签（Action: 或 Final Answer:）',
    en: 'it had none of the labels (Action: or Final Answer:)',
  },
  missing_action: {
    zh: '既没有 Action: 也没有 Final Answer:',
    en: 'it had neither an Action: nor a Final Answer:',
  },
  missing_action_input: {
    zh: '有 Action:，没有 Action Input:',
    en: 'it had an Action: but no Action Input:',
  },
  both_action_and_final: {
    zh: '同时有 Action: 和 Final Answer:',
    en: 'it had both an Action: and a Final Answer:',
  },
  multiple_actions: { zh: '有不止一个 Action:', en: 'it had more than one Action:' },
};

const LAST: LocalizedText = {
  zh: '最后一条回复读不懂：{what}',
  en: 'the last reply could not be read: {what}',
};

/** Characters of the reply that are shown. */
const SHOWN = 80;

/**
 * What was wrong with the last reply that could not be read, with how it began; on one line, or
 * null where every reply could be read.
 */
export function sayUnread(messages: readonly Message[], locale: Locale): string | null {
  const at = messages.findLastIndex(({ role }) => role === 'repair');
  const repair = messages[at];
  if (repair?.role !== 'repair') return null;
  const { code, detail } = repair;
  const known = Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code] : undefined;
  const told = detail === null ? code : `${code}: ${detail}`;
  const problem = known?.[locale].replace('{detail}', detail ?? '') ?? told;
  const what = LAST[locale].replace('{what}', () => problem);
  const reply = messages[at - 1];
  const text = reply?.role === 'assistant' ? reply.content.replace(/\s+/gu, ' ').trim() : '';
  if (text === '') return what;
  const begun = [...text].slice(0, SHOWN).join('');
  const quoted = begun === text ? text : `${begun}…`;
  return locale === 'zh' ? `${what}：“${quoted}”` : `${what}: "${quoted}"`;
}
