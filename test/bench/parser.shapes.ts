/** A shape of text, grown by repeating its unit. */
export interface Shape {
  readonly name: string;
  readonly before?: string;
  readonly unit: string;
  readonly after?: string;
}

/** Replies as models write them, and replies made to find a step back over what was read. */
export const REPLIES: readonly Shape[] = [
  {
    name: 'ordinary: long thought',
    before: 'Thought: ',
    unit: 'I look at the list again, and it has three rows.\n',
    after: '\nFinal Answer: 3',
  },
  {
    name: 'ordinary: long JSON input',
    before: 'Action: save\nAction Input: {"text": "',
    unit: 'a line of text, \\"quoted\\"\\n',
    after: '"}',
  },
  {
    name: 'ordinary: long Chinese answer',
    before: '思考：够了\n最终答案：',
    unit: '保修期为一年，从签收之日算起。\n',
  },
  {
    name: 'ordinary: answer with fences',
    before: 'Final Answer: ',
    unit: '```ts\nlet a = 1;\n```\n',
  },
  { name: 'Action lines', unit: 'Action: a\n' },
  { name: 'whole steps', unit: 'Thought: x\nAction: a\nAction Input: {"b": 1}\n' },
  { name: 'whole steps on one line', unit: 'Action: a Action Input: b ' },
  { name: 'Chinese steps on one line', before: '思考：', unit: '行动：甲 行动输入：乙 ' },
  { name: 'thoughts', unit: 'Thought: x\n' },
  { name: 'labels after an answer', before: 'Final Answer: x\n', unit: 'Action: a\nThought: b\n' },
  { name: 'half labels', before: 'Thought: ', unit: 'Action Final ' },
  { name: 'spaces', before: 'Action', unit: ' ', after: ': x' },
  { name: 'line breaks', before: 'Action', unit: '\n', after: ': x' },
  { name: 'invisible characters', before: 'Action: a ', unit: '\u200b', after: 'x' },
  { name: 'wide spaces', before: 'Action: a ', unit: '\u3000', after: 'x' },
  { name: 'quote marks and bullets', unit: '> - ' },
  { name: 'asterisks', before: '**Action: ', unit: '*' },
  { name: 'bold labels', unit: '**Final Answer: ' },
  { name: 'quotes', before: 'Action: a\nAction Input: ', unit: '"' },
  { name: 'backslashes', before: 'Action: a\nAction Input: {"a":"', unit: '\\' },
  { name: 'open brackets', before: 'Action: a\nAction Input: ', unit: '[{"a":' },
  { name: 'inputs that never close', unit: 'Action Input: {"a":"b\n' },
  { name: 'lines of broken JSON', before: 'Action: a\nAction Input: ', unit: '{"a":"\n' },
  { name: 'fences that open', unit: '```a\n' },
  { name: 'fences, two kinds', unit: '~~~\n```\n' },
  {
    name: 'an open fence with spaces',
    before: 'Action: a\nAction Input: ```',
    unit: ' ',
    after: 'x',
  },
  { name: 'backticks', before: 'Action: ', unit: '`' },
  { name: 'think tags that open', unit: '<think> ' },
  { name: 'think tags that open, within a line', before: 'x', unit: '[THINK]' },
  { name: 'think tags that close', unit: '</think> ' },
  { name: 'think blocks on one line', unit: 'a<think></think>' },
  { name: 'fences and closing tags', unit: '```<think></think>' },
  { name: 'control tokens', before: 'Final Answer: 1', unit: '<|im_end|> ' },
  { name: 'end tags', unit: '</s> ' },
  { name: 'emoji', unit: '🔧' },
];

/** Arguments of native calls. */
export const ARGUMENTS: readonly Shape[] = [
  { name: 'ordinary: long string', before: '{"a": "', unit: 'text \\"x\\"\\n', after: '"}' },
  {
    name: 'ordinary: many members',
    before: '{"a": [',
    unit: '{"b": 1.5, "c": true}, ',
    after: '0]}',
  },
  { name: 'cut string', before: '{"a": "', unit: 'y\\n' },
  { name: 'open brackets', unit: '{"a":[' },
  { name: 'nested arrays', before: '[', unit: '[' },
  { name: 'the same object again', unit: '{}' },
  { name: 'backslashes', before: '{"a":"', unit: '\\' },
  { name: 'quotes', unit: '"' },
  { name: 'spaces', unit: ' ', after: 'x' },
  { name: 'digits', before: '{"a":', unit: '1.' },
  { name: 'fences', unit: '```\n' },
  { name: 'trailing commas', before: '{"a":1', unit: ',' },
];
