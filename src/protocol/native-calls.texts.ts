import type { LocalizedText } from '../../machines/vocabulary/json.ts';

/** How to mend a reply that `native-calls` could not read, by code. */
export const NATIVE_REPAIRS: Readonly<
  Record<'empty' | 'truncated' | 'written_call', LocalizedText>
> = {
  empty: {
    zh: '你的上一条回复没有内容。请调用一个工具，或者写出给用户的最终答案（写在思考之外）。',
    en: 'Your last reply had no content. Call a tool, or write the final answer for the user (outside of any reasoning).',
  },
  written_call: {
    zh: '你的上一条回复把工具调用写成了文字，所以什么都没有执行。请用工具调用的方式调用它。如果那本来就是给用户的答案，请把例子放进代码块（```）里，并写上说明。',
    en: 'Your last reply wrote a tool call as text, so nothing ran. Call the tool as a tool call. If it was meant as the answer for the user, put the example into a fence (```), with a sentence beside it.',
  },
  truncated: {
    zh: '你的上一条回复在写完之前被截断，所以没有采用。请从头再写一遍，写得短一些。',
    en: 'Your last reply was cut off before it ended, so it was not used. Write it again from the start, and shorter.',
  },
};

/** Said ahead of the result of a call that was written as text. */
export const WRITTEN_CALL: LocalizedText = {
  zh: '（你把这次调用写成了文字，已按工具调用读取。以后请用工具调用的方式。）',
  en: '(You wrote this call as text; it was read as a tool call. Make the next one as a tool call.)',
};
