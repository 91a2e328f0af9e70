import type { Locale, LocalizedText } from '../../machines/vocabulary/json.ts';
import type { Outcome } from '../../machines/vocabulary/messages.ts';
import type { ArgumentsCode } from './json-arguments.ts';

/** A text with one gap, written `{}`. */
export function fill(text: LocalizedText, locale: Locale, value = ''): string {
  // Split, not replace: a dollar sign in the value has no meaning.
  return text[locale].split('{}').join(value);
}

/** What happened to a call, ahead of its content; null where the content speaks for itself. */
export const OUTCOMES: Readonly<Record<Outcome, LocalizedText | null>> = {
  ok: null,
  error: {
    zh: '这次调用执行了，但失败了。',
    en: 'The call ran and failed.',
  },
  timeout: {
    zh: '这次调用超时未完成。',
    en: 'The call did not finish in time.',
  },
  cancelled: {
    zh: '这次调用被取消；如果当时已经开始，可能已经生效。',
    en: 'The call was cancelled; if it had started, it may have taken effect.',
  },
  denied: {
    zh: '这次调用被拒绝，没有执行，什么都没有发生。不要说它已完成，也不要原样重试。',
    en: 'The call was denied. It did not run and nothing happened. Do not report it as done, and do not repeat it as it was.',
  },
  blocked: {
    zh: '这次调用被钩子阻止，没有执行，什么都没有发生。不要说它已完成。',
    en: 'The call was blocked by a hook. It did not run and nothing happened. Do not report it as done.',
  },
  hook_failed: {
    zh: '检查这次调用的钩子出了故障，所以没有执行，什么都没有发生。',
    en: 'A hook that checks this call failed, so the call did not run and nothing happened.',
  },
  expired: {
    zh: '没有人在期限内批准这次调用，所以没有执行，什么都没有发生。不要说它已完成。',
    en: 'Nobody approved the call in time, so it did not run and nothing happened. Do not report it as done.',
  },
  unknown_tool: {
    zh: '没有这个名字的工具，什么都没有执行。请只用列出的工具。',
    en: 'There is no tool of that name, and nothing ran. Use only the tools that are listed.',
  },
  invalid_arguments: {
    zh: '参数不合要求，没有执行。请改正后重新调用。',
    en: 'The arguments are not valid, so the call did not run. Correct them and call again.',
  },
  facts_unavailable: {
    zh: '无法查明这次调用会触及什么，所以没有执行，什么都没有发生。',
    en: 'What the call would touch could not be looked up, so it did not run and nothing happened.',
  },
  unknown: {
    zh: '这次调用的结果不明：它开始过，可能已经生效，也可能没有。不要假定它成功或失败。',
    en: 'The outcome of the call is unknown: it started, and may or may not have taken effect. Assume neither.',
  },
};

export const REASONS: LocalizedText = { zh: '原因：{}', en: 'Reasons: {}' };
export const REASON_SEPARATOR: LocalizedText = { zh: '；', en: '; ' };
export const NO_OUTPUT: LocalizedText = { zh: '（没有输出）', en: '(no output)' };
export const NO_RESULT: LocalizedText = {
  zh: '这次调用没有留下记录，结果不明。',
  en: 'There is no record of what came of this call; its outcome is unknown.',
};
export const NOTE_LABEL: LocalizedText = { zh: '［补充，来自 {}］', en: '[Context from {}]' };
export const STRAY_OBSERVATION: LocalizedText = {
  zh: '［工具 {} 的结果］',
  en: '[Result of the tool {}]',
};

export const STOP_BLOCKED: LocalizedText = {
  zh: '还不能结束，因为仍有事情没有完成：\n{}\n请先把它们做完，再给出最终答案。',
  en: 'You cannot finish yet, because something is left to do:\n{}\nSee to it first, then give your final answer.',
};

/** Why arguments were refused; the gap takes the place of the fault. */
export const ARGUMENTS: Readonly<Record<ArgumentsCode, LocalizedText>> = {
  invalid_json: {
    zh: '参数不是合法的 JSON{}。请只写一个 JSON 对象：键和字符串用双引号，字符串里的双引号写成 \\"，前后不加别的文字。',
    en: 'The arguments are not valid JSON{}. Write one JSON object and nothing else: keys and strings in double quotes, a double quote inside a string as \\".',
  },
  not_object: {
    zh: '参数是 JSON，但不是对象。请写成 {"名称": 值} 的形式。',
    en: 'The arguments are JSON but not an object. Write them as {"name": value}.',
  },
  multiple_values: {
    zh: '参数里有不止一个 JSON 值{}。一次调用只写一个对象；要调用几次，就分开调用。',
    en: 'The arguments hold more than one JSON value{}. Write one object per call, and make separate calls for more.',
  },
  too_deep: {
    zh: '参数嵌套得太深。请写成更平的对象。',
    en: 'The arguments are nested too deeply. Write a flatter object.',
  },
  truncated: {
    zh: '参数在写完之前就断了。请从头完整地再写一遍，必要时写短一些。',
    en: 'The arguments were cut off before they ended. Write them again in full, shorter if need be.',
  },
};

/** Where arguments stopped making sense; the gap takes a short quotation. */
export const ARGUMENTS_AT: LocalizedText = { zh: '（从 {} 处开始）', en: ' (from {} on)' };
