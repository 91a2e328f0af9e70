import type { Locale } from '../../machines/vocabulary/json.ts';

export interface OfflineTexts {
  readonly who: string;
  readonly help: (tools: readonly string[]) => string;
  readonly greeting: string;
  readonly thanks: string;
  readonly unclear: string;
  readonly tooLong: string;
  readonly about: (title: string) => string;
  readonly quote: (sentences: readonly string[]) => string;
  readonly source: (file: string) => string;
  readonly unknown: (question: string) => string;
  readonly asJson: (text: string) => string;
  readonly scaled: (input: string, output: string) => string;
  readonly toolSaid: (text: string) => string;
  readonly derived: (output: string) => string;
  readonly assumedWidth: (width: number) => string;
  readonly missing: Readonly<Record<'size' | 'relative_size' | 'input', string>>;
  readonly noTool: string;
  /** The reason is empty where nobody gave one. */
  readonly ending: Readonly<
    Record<'refused' | 'impossible' | 'failed' | 'unsure', (reason: string) => string>
  >;
  readonly reasonSeparator: string;
  readonly item: (number: number, words: string, result: string) => string;
  readonly summary: (done: number, total: number) => string;
  readonly blocked: string;
  readonly thought: Readonly<
    Record<'plan' | 'update' | 'search' | 'image' | 'echo' | 'answer', string>
  >;
}

const CAPABILITIES: Readonly<Record<string, { readonly zh: string; readonly en: string }>> = {
  knowledge_search: {
    zh: '在资料里查找，并摘录原文、注明来源（例如“退货要在几天之内？”）',
    en: 'look things up in the documents, quoting them with their source ("How long do I have to return something?")',
  },
  image_scaling: {
    zh: '缩放图片（例如“把 a.jpg 缩放到 320 宽，存成 b.webp”）',
    en: 'scale pictures ("resize a.jpg to 320 wide and save it as b.webp")',
  },
  echo: { zh: '原样回显一段文字（例如“echo 你好”）', en: 'say a text back ("echo hello")' },
  todo_write: {
    zh: '一次提出几件事时，列出待办清单逐项完成',
    en: 'work through several wishes with a to-do list',
  },
};

function listed(tools: readonly string[], locale: Locale): string {
  const known = tools.flatMap((name) => CAPABILITIES[name]?.[locale] ?? []);
  return known.map((capability) => `- ${capability}`).join('\n');
}

function behind(label: string, reason: string): string {
  return reason === '' ? '' : `${label}${reason}`;
}

/** What the offline model says to people. */
export const TEXTS: Readonly<Record<Locale, OfflineTexts>> = {
  zh: {
    who: '我是离线规则模式，没有使用语言模型，只按固定规则办事。',
    help: (tools) => `我能做的有：\n${listed(tools, 'zh')}`,
    greeting: '你好！',
    thanks: '不客气。',
    unclear: '我没有看懂你想要什么，换个说法也许可以。',
    tooLong: '这段话太长了，离线规则模式读不了。请把想做的事简短地说出来。',
    about: (title) => (title === '' ? '资料里写着：' : `关于“${title}”，资料里写着：`),
    quote: (sentences) => sentences.map((sentence) => `「${sentence}」`).join('\n'),
    source: (file) => `来源：${file}`,
    unknown: (question) =>
      `关于“${question}”，我在资料里没有找到能回答的内容，所以我不知道。（离线规则模式只摘录资料，不会自己编答案。）`,
    asJson: (text) => `返回的文字（写成 JSON）：${text}`,
    scaled: (input, output) => `已缩放 ${input}，结果存为 ${output}。`,
    toolSaid: (text) => `工具的结果：${text}`,
    derived: (output) => `你没有说存成什么名字，我用了 ${output}。`,
    assumedWidth: (width) => `你只给了一个数，我把 ${width} 当作宽度。`,
    missing: {
      size: '这张图片我还不能缩放：你没有说目标尺寸。请给出宽或高（像素），例如“宽 320”或“300x200”。',
      relative_size:
        '这张图片我还不能缩放：离线规则模式读不出原图有多大，不能按比例（一半、50%、两倍）算。请给出宽或高的像素数。',
      input: '我还不能缩放：你没有说是哪个图片文件。请给出文件名，例如 a.jpg。',
    },
    noTool: '这件事需要的工具这里没有提供，我做不了。',
    ending: {
      refused: (reason) => `被拒绝，没有执行。${behind('原因：', reason)}`,
      impossible: (reason) => `没有执行${behind('：', reason)}`,
      failed: (reason) => `没有成功。${behind('原因：', reason)}`,
      unsure: (reason) => `结果不明，可能已经生效，也可能没有。${reason}`,
    },
    reasonSeparator: '；',
    item: (number, words, result) => `${number}. ${words}\n${result}`,
    summary: (done, total) => `共 ${total} 件事，完成了 ${done} 件。`,
    blocked: '检查要求我继续，但剩下的事我已经没有办法了，所以如实说明如上。',
    thought: {
      plan: '有几件事要做，先列出清单。',
      update: '更新清单。',
      search: '先在资料里查找。',
      image: '缩放这张图片。',
      echo: '回显这段文字。',
      answer: '可以答复了。',
    },
  },
  en: {
    who: 'I am the offline rules mode: no language model, only fixed rules.',
    help: (tools) => `What I can do:\n${listed(tools, 'en')}`,
    greeting: 'Hello! ',
    thanks: 'You are welcome.',
    unclear: 'I did not understand what you want; other words may help.',
    tooLong:
      'That is too long for the offline rules mode. Please say what you want in a few sentences.',
    about: (title) => (title === '' ? 'The documents say:' : `On "${title}" the documents say:`),
    quote: (sentences) => sentences.map((sentence) => `“${sentence}”`).join('\n'),
    source: (file) => `Source: ${file}`,
    unknown: (question) =>
      `I found nothing in the documents that answers "${question}", so I do not know. (The offline rules mode only quotes documents; it makes up no answers.)`,
    asJson: (text) => `The text that came back, as JSON: ${text}`,
    scaled: (input, output) => `${input} was scaled and saved as ${output}.`,
    toolSaid: (text) => `The tool says: ${text}`,
    derived: (output) => `You gave no name for the result, so I used ${output}.`,
    assumedWidth: (width) => `You gave one number, so I took ${width} as the width.`,
    missing: {
      size: 'I cannot scale this picture yet: you gave no size. Tell me a width or height in pixels, such as "320 wide" or "300x200".',
      relative_size:
        'I cannot scale this picture yet: the offline rules mode cannot see how large it is, so half, 50% or double says nothing to me. Give the width or height in pixels.',
      input:
        'I cannot scale anything yet: you did not say which picture file. Give its name, such as a.jpg.',
    },
    noTool: 'The tool this needs is not offered here, so I cannot do it.',
    ending: {
      refused: (reason) => `Refused, it was not carried out.${behind(' Reason: ', reason)}`,
      impossible: (reason) => `It could not be carried out${behind(': ', reason)}`,
      failed: (reason) => `It failed.${behind(' Reason: ', reason)}`,
      unsure: (reason) =>
        `The outcome is unclear: it may or may not have taken effect.${behind(' ', reason)}`,
    },
    reasonSeparator: '; ',
    item: (number, words, result) => `${number}. ${words}\n${result}`,
    summary: (done, total) => `${done} of ${total} done.`,
    blocked:
      'A check asks me to go on, but there is nothing left that I can do; the above is how it stands.',
    thought: {
      plan: 'There are several things to do; I list them first.',
      update: 'I bring the list up to date.',
      search: 'I look it up in the documents first.',
      image: 'I scale this picture.',
      echo: 'I say this text back.',
      answer: 'I can answer now.',
    },
  },
};
