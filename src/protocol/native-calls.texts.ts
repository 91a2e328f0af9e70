import type { LocalizedText } from '../../machines/vocabulary/json.ts';

/** How to mend a reply that `native-calls` could not read, by code. */
export const NATIVE_REPAIRS: Readonly<Record<'empty' | 'truncated', LocalizedText>> = {
  empty: {
    zh: '你的上一条回复没有内容。请调用一个工具，或者写出给用户的最终答案（写在思考之外）。',
    en: 'Your last reply had no content. Call a tool, or write the final answer for the user (outside of any reasoning).',
  },
  truncated: {
    zh: '你的上一条回复在写完之前被截断，所以没有采用。请从头再写一遍，写得短一些。',
    en: 'Your last reply was cut off before it ended, so it was not used. Write it again from the start, and shorter.',
  },
};
