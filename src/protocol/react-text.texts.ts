import type { LocalizedText } from '../../machines/vocabulary/json.ts';
import type { ReactCode } from './react-text.parse.ts';

/** How a step is written. Labels stay English in both languages: one stop sequence fits all. */
export const FORMAT: LocalizedText = {
  zh: `## 回复格式
每次回复只写一步，写成下面两种形式之一。标签照抄英文，各占一行的开头。

要使用工具时：
Thought: 你的考虑
Action: 一个工具的名字
Action Input: 工具的输入

要回答用户时：
Thought: 你的考虑
Final Answer: 给用户的完整答案

规则：
- Action Input 是一个 JSON 对象，符合该工具的 JSON Schema。工具若标明 Text field，也可以直接写那个字段的文字。
- 没有参数也要写 Action Input:，后面留空。
- 写完 Action Input 就停下。Observation: 由系统给出，绝不要自己写。
- 一次回复只能有一个 Action，并且不能同时有 Final Answer。
- 调用被拒绝或失败时，如实告诉用户。`,
  en: `## Reply format
Write exactly one step per reply, in one of these two forms. Copy the labels; each starts a line.

To use a tool:
Thought: what you consider
Action: the name of one tool
Action Input: the tool's input

To answer the user:
Thought: what you consider
Final Answer: the complete answer for the user

Rules:
- Action Input is one JSON object that fits the tool's JSON Schema. If the tool names a Text field, you may write that field's plain text instead.
- Without arguments, still write Action Input: and leave it empty.
- Stop after Action Input. The system gives you Observation:, never write it yourself.
- One Action per reply, and never together with a Final Answer.
- If a call was denied or failed, tell the user so.`,
};

export const NO_TOOLS: LocalizedText = {
  zh: '（没有工具；请直接用 Final Answer 回答。）',
  en: '(There are no tools: reply with a Final Answer.)',
};

/** How to mend a reply that `react-text` could not read, by code; the gap takes the detail. */
export const REACT_REPAIRS: Readonly<Record<ReactCode, LocalizedText>> = {
  empty: {
    zh: '你的上一条回复没有内容，或者 Final Answer: 后面是空的。请写出 Action: 和 Action Input:，或者写出 Final Answer: 和完整的答案，都写在思考块之外。',
    en: 'Your last reply had no content, or nothing followed Final Answer:. Write Action: and Action Input:, or Final Answer: with the whole answer, outside of any reasoning block.',
  },
  no_label: {
    zh: '你的上一条回复里没有任何标签，所以没有采用。要回答用户，请在行首写 Final Answer:，后面写答案；要用工具，请写 Action: 和 Action Input:。',
    en: 'Your last reply had none of the labels, so it was not used. To answer the user, start a line with Final Answer: and write the answer behind it; to use a tool, write Action: and Action Input:.',
  },
  missing_action: {
    zh: '你的上一条回复既没有用 Action: 点名工具，也没有 Final Answer:。要用工具，请在 Action: 行写工具名，下一行写 Action Input:；不需要工具，就写 Final Answer:。',
    en: 'Your last reply neither named a tool with Action: nor gave a Final Answer:. To use a tool, write its name on an Action: line and Action Input: on the next; if you need no tool, write Final Answer:.',
  },
  missing_action_input: {
    zh: '你的上一条回复有 Action:，但没有 Action Input:，所以没有执行。请重写这一步，在 Action: 的下一行写 Action Input: 和输入；没有参数就留空。',
    en: 'Your last reply had an Action: but no Action Input:, so nothing ran. Write the step again with Action Input: and the input on the line after Action:; leave it empty if there are no arguments.',
  },
  both_action_and_final: {
    zh: '你的上一条回复同时有 Action 和 Final Answer，所以都没有采用。还需要工具的结果，就只写 Action: 和 Action Input:；已经可以回答，就只写 Final Answer:。',
    en: 'Your last reply had both an Action and a Final Answer, so neither was used. If you still need the tool, write only Action: and Action Input:; if you can answer, write only Final Answer:.',
  },
  multiple_actions: {
    zh: '你的上一条回复有不止一个 Action 或 Action Input，所以都没有执行。请只写第一个，等到它的 Observation: 再写下一个。',
    en: 'Your last reply had more than one Action or Action Input, so none of them ran. Write only the first, and the next one after you have its Observation:.',
  },
  truncated: {
    zh: '你的上一条回复在写完之前就断了，所以没有采用。请从头再写一遍：补全未闭合的括号、引号、代码块或思考块，并写得短一些。',
    en: 'Your last reply was cut off before it ended, so it was not used. Write it again from the start, closing every bracket, quote, fence and reasoning block, and keep it shorter.',
  },
};
