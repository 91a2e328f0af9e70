import type { Call } from '../../machines/agent/agent.types.ts';
import type { Approval } from '../../machines/permission/reasons.ts';
import type { Locale, LocalizedText } from '../../machines/vocabulary/json.ts';
import type { Outcome } from '../../machines/vocabulary/messages.ts';
import type { ShownStatus } from '../run/run-status.ts';
import { RUN_TEXTS } from './run-texts.ts';
import { TRUST_TEXTS } from './trust/trust-texts.ts';
import { USAGE_TEXTS } from './usage-texts.ts';

/** What the command line says, in both languages. `{name}` stands for a value. */
const TEXTS = {
  ...RUN_TEXTS,
  ...USAGE_TEXTS,
  ...TRUST_TEXTS,
  hint: {
    zh: '没有配置模型：由离线规则回答（不是大模型）。\n用 AGENTHUB_PROVIDER 和 AGENTHUB_MODEL 配置，见 README。',
    en: 'No model is configured: offline rules answer (no LLM).\nSet AGENTHUB_PROVIDER and AGENTHUB_MODEL; the README says more.',
  },
  turn: { zh: '第 {turn} 轮', en: 'turn {turn}' },
  oneCall: { zh: '1 个调用', en: '1 call' },
  calls: { zh: '{count} 个调用', en: '{count} calls' },
  by: { zh: '答复者：{by}', en: 'by {by}' },

  asks: { zh: '需要批准：{tool}', en: 'Permission needed: {tool}' },
  left: { zh: '共 {count} 个待批准', en: '{count} questions' },
  why: { zh: '原因：', en: 'Why:' },
  approving: { zh: '批准即允许：{approvals}', en: 'To approve is to allow: {approvals}' },
  void: {
    zh: '先前的批准已失效：它所针对的内容变了。',
    en: 'An earlier approval no longer holds: what it was given for has changed.',
  },
  minutes: { zh: '{time} 内有效', en: '{time} left' },
  keys: { zh: 'y 批准这一次 · n 拒绝 · Esc 拒绝', en: 'y approve once · n deny · Esc deny' },
  keysAndPage: {
    zh: 'y 批准这一次 · n 拒绝 · Esc 拒绝 · o 打开页面',
    en: 'y approve once · n deny · Esc deny · o open the page',
  },
  denyReason: { zh: '拒绝的理由（可留空）：', en: 'Reason for the denial (may be empty): ' },
  approved: { zh: '已批准', en: 'approved' },
  denied: { zh: '已拒绝', en: 'denied' },
  refused: { zh: '答复没有生效：{message}', en: 'The answer did not count: {message}' },
  nobody: { zh: '没有人可以询问，已拒绝', en: 'denied: nobody could be asked' },
  nobodyReason: { zh: '当时没有人可以询问', en: 'nobody could be asked' },

  todos: { zh: '待办', en: 'To do' },
  more: { zh: '……还有 {count} 行', en: '… {count} more' },
  unverified: { zh: '未核实', en: 'unverified' },
  noTodos: { zh: '没有待办。', en: 'The list is empty.' },

  suspended: { zh: '运行已暂停：{reason}', en: 'The run is suspended: {reason}' },
  failed: { zh: '运行失败：{reason}', en: 'The run failed: {reason}' },
  cancelledRun: { zh: '运行已取消。', en: 'The run was cancelled.' },
  interrupt: {
    zh: '正在取消……再按一次 Ctrl-C 立即退出',
    en: 'Cancelling… press Ctrl-C again to leave at once',
  },
  noKey: {
    zh: '{provider} 需要 API 密钥：请设置环境变量 {variables}。',
    en: '{provider} needs an API key: set the environment variable {variables}.',
  },
  unreadable: { zh: '{file}: 无法读取（{code}）', en: '{file}: cannot be read ({code})' },
  notJson: { zh: '{file}: 不是 JSON：{message}', en: '{file}: not JSON: {message}' },
  noFolder: { zh: '没有目录 {folder}', en: 'there is no folder {folder}' },
  noName: {
    zh: 'model.name: 没有说明用 {provider} 的哪个模型；用 --model、AGENTHUB_MODEL 或配置文件指定。',
    en: 'model.name: say which model of {provider} to use: --model, AGENTHUB_MODEL or the configuration file.',
  },
  noProvider: {
    zh: '{path}: 已设置，但没有说明 model.provider；允许：glm, deepseek, ollama, openai（任何兼容 OpenAI 的接口）',
    en: '{path}: is set, but model.provider is not; allowed: glm, deepseek, ollama, openai (any OpenAI-compatible endpoint)',
  },
  or: { zh: ' 或 ', en: ' or ' },
  chat: {
    zh: '每行一个任务；/help 列出命令，/exit 或 Ctrl-D 退出。',
    en: 'One task per line; /help lists the commands, /exit or Ctrl-D leaves.',
  },
  chatHelp: {
    zh: '/todos  看待办\n/help   列出命令\n/exit   退出（Ctrl-D 也可以）\n运行中 Ctrl-C 取消这次运行。',
    en: '/todos  shows the to-do list\n/help   lists the commands\n/exit   leaves (Ctrl-D too)\nDuring a run Ctrl-C cancels it.',
  },
  noChatCommand: {
    zh: '没有命令 {word}，没有发给模型。命令有：',
    en: 'There is no command {word}; it was not sent to the model. The commands:',
  },
  policy: { zh: '权限策略', en: 'policy' },
  input: { zh: '输入', en: 'input' },
  uncovered: { zh: '没有（每次调用都会被拒绝）', en: 'none (every call is denied)' },
  defaultSource: { zh: '默认', en: 'default' },
  fileSource: { zh: '文件 {from}', en: 'file {from}' },
  environmentSource: { zh: '环境变量 {from}', en: 'environment {from}' },
  flagSource: { zh: '参数 {from}', en: 'flag {from}' },
  keySet: { zh: '已设置（不显示）', en: 'set (not shown)' },
  keyNotSet: { zh: '未设置', en: 'not set' },
  demoWrong: { zh: '演示没有得到应有的结果：{what}', en: 'The demo went wrong: {what}' },
} as const satisfies Record<string, LocalizedText>;

export type TextName = keyof typeof TEXTS;

export function isTextName(name: unknown): name is TextName {
  return typeof name === 'string' && Object.hasOwn(TEXTS, name);
}

/** What the command line says, in the person's language. */
export function say(
  locale: Locale,
  name: TextName,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return TEXTS[name][locale].replace(/\{(\w+)\}/gu, (whole, key: string) =>
    String(values[key] ?? whole),
  );
}

const LABELS = {
  model: { zh: '模型', en: 'model' },
  tool: { zh: '工具', en: 'tool' },
  hook: { zh: '钩子', en: 'hook' },
  ask: { zh: '询问', en: 'ask' },
  allow: { zh: '批准', en: 'allow' },
  deny: { zh: '拒绝', en: 'deny' },
} as const satisfies Record<string, LocalizedText>;

export type Label = keyof typeof LABELS;

/** What a step line begins with. */
export function sayLabel(locale: Locale, label: Label): string {
  return LABELS[label][locale];
}

const OUTCOMES: Record<Outcome | 'open', LocalizedText> = {
  open: { zh: '进行中', en: 'running' },
  ok: { zh: '成功', en: 'ok' },
  error: { zh: '出错', en: 'error' },
  timeout: { zh: '超时', en: 'timed out' },
  cancelled: { zh: '已取消', en: 'cancelled' },
  denied: { zh: '已拒绝', en: 'denied' },
  blocked: { zh: '被钩子阻止', en: 'blocked by a hook' },
  hook_failed: { zh: '钩子失败', en: 'hook failed' },
  expired: { zh: '已过期', en: 'expired' },
  unknown_tool: { zh: '没有这个工具', en: 'no such tool' },
  invalid_arguments: { zh: '参数无效', en: 'invalid arguments' },
  facts_unavailable: { zh: '无法查明', en: 'could not be looked up' },
  unknown: { zh: '结果不明', en: 'outcome unknown' },
};

export function sayOutcome(locale: Locale, outcome: Outcome | 'open'): string {
  return OUTCOMES[outcome][locale];
}

const STAGES: Record<Call['stage'], LocalizedText> = {
  live: { zh: '还没有决定', en: 'not decided yet' },
  asked: { zh: '等待批准', en: 'waits for permission' },
  running: { zh: '执行中', en: 'running' },
  settled: { zh: '已结束', en: 'settled' },
};

/** How a call stands: its outcome, or where it waits. */
export function sayStands(locale: Locale, stands: Outcome | Call['stage']): string {
  return Object.hasOwn(STAGES, stands)
    ? STAGES[stands as Call['stage']][locale]
    : sayOutcome(locale, stands as Outcome);
}

const STATUSES: Record<ShownStatus, LocalizedText> = {
  running: { zh: '运行中', en: 'running' },
  interrupted: { zh: '已中断', en: 'interrupted' },
  waiting: { zh: '等待批准', en: 'waiting' },
  suspended: { zh: '已暂停', en: 'suspended' },
  done: { zh: '完成', en: 'done' },
  failed: { zh: '失败', en: 'failed' },
  cancelled: { zh: '已取消', en: 'cancelled' },
};

/** The words that `--status` takes. */
export const SHOWN_STATUSES = Object.keys(STATUSES) as readonly ShownStatus[];

export function sayStatus(locale: Locale, status: ShownStatus): string {
  return STATUSES[status][locale];
}

const APPROVALS: Record<Approval, LocalizedText> = {
  outside: { zh: '访问允许区域之外', en: 'access outside the allowed area' },
  service: { zh: '使用未列入的服务', en: 'use of a service that is not on the list' },
  overwrite: { zh: '覆盖已有文件', en: 'overwriting an existing file' },
  use: { zh: '使用这个工具', en: 'use of this tool' },
  hook: { zh: '钩子提出的问题', en: 'what a hook asked about' },
  repeat: { zh: '再次执行', en: 'running it again' },
};

export function sayApprovals(locale: Locale, approvals: readonly Approval[]): string {
  return approvals
    .map((approval) => APPROVALS[approval][locale])
    .join(locale === 'zh' ? '、' : ', ');
}

/** Those who answer without a name of their own. */
const ANSWERERS: Readonly<Record<string, LocalizedText>> = {
  'command line': { zh: '命令行', en: 'command line' },
  terminal: { zh: '终端', en: 'terminal' },
  web: { zh: '网页', en: 'web' },
};

/** Who gave an answer; a person's name stays as it is. */
export function sayBy(locale: Locale, by: string): string {
  return Object.hasOwn(ANSWERERS, by) ? (ANSWERERS[by]?.[locale] ?? by) : by;
}
