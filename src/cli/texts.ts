import type { Approval } from '../../machines/permission/reasons.ts';
import type { Locale, LocalizedText } from '../../machines/vocabulary/json.ts';
import type { Outcome } from '../../machines/vocabulary/messages.ts';

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

const TEXTS = {
  hint: {
    zh: '没有配置模型，使用离线规则（不是大模型）。配置方法见 README。',
    en: 'No model is configured: offline rules answer (no LLM). See the README to set one.',
  },
  asks: { zh: '需要批准', en: 'Permission needed' },
  keys: {
    zh: 'y 批准一次 · n 拒绝 · Esc 拒绝',
    en: 'y approve once · n deny · Esc deny',
  },
  denyReason: { zh: '拒绝的理由（可留空）：', en: 'Reason for the denial (may be empty): ' },
  nobody: {
    zh: '没有人可以询问，已拒绝',
    en: 'nobody could be asked, denied',
  },
  nobodyReason: { zh: '当时没有人可以询问', en: 'nobody could be asked' },
  granted: { zh: '已批准', en: 'approved' },
  denied: { zh: '已拒绝', en: 'denied' },
  expired: { zh: '已过期', en: 'expired' },
  cancelled: { zh: '已取消', en: 'cancelled' },
  todos: { zh: '待办', en: 'To do' },
  unverified: { zh: '未核实', en: 'unverified' },
  tokensUnknown: { zh: 'token 数未知', en: 'tokens unknown' },
  tokens: { zh: 'token', en: 'tokens' },
  turn: { zh: '第', en: 'turn' },
  calls: { zh: '个调用', en: 'calls' },
  suspended: { zh: '运行已暂停', en: 'The run is suspended' },
  failed: { zh: '运行失败', en: 'The run failed' },
  cancelledRun: { zh: '运行已取消', en: 'The run was cancelled' },
  interrupt: {
    zh: '正在取消……再按一次 Ctrl-C 立即退出',
    en: 'Cancelling… press Ctrl-C again to leave at once',
  },
  chat: {
    zh: '输入任务，/todos 看待办，/exit 退出。',
    en: 'Type a task; /todos shows the list, /exit leaves.',
  },
  noTodos: { zh: '没有待办。', en: 'The list is empty.' },
  covered: { zh: '策略', en: 'policy' },
  uncovered: { zh: '未覆盖（会被拒绝）', en: 'not covered (denied)' },
} as const satisfies Record<string, LocalizedText>;

export type TextName = keyof typeof TEXTS;

/** What the command line says, in the person's language. */
export function say(locale: Locale, name: TextName): string {
  return TEXTS[name][locale];
}

export function sayOutcome(locale: Locale, outcome: Outcome | 'open'): string {
  return OUTCOMES[outcome][locale];
}

const APPROVALS: Record<Approval, LocalizedText> = {
  outside: { zh: '访问允许区域之外', en: 'access outside the allowed area' },
  service: { zh: '使用未列入的服务', en: 'use of a service that is not on the list' },
  overwrite: { zh: '覆盖已有文件', en: 'overwriting an existing file' },
  use: { zh: '使用这个工具', en: 'use of this tool' },
  hook: { zh: '钩子提出的问题', en: 'what a hook asked' },
  repeat: { zh: '再次执行', en: 'running it again' },
};

export function sayApprovals(locale: Locale, approvals: readonly Approval[]): string {
  return approvals
    .map((approval) => APPROVALS[approval][locale])
    .join(locale === 'zh' ? '、' : ', ');
}
