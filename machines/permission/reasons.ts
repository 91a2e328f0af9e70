import type { LocalizedText } from '../vocabulary/json.ts';
import type { Approval, Reason } from '../vocabulary/reasons.ts';

export { APPROVALS, type Approval, type Reason } from '../vocabulary/reasons.ts';

const TEXTS = {
  tool_not_covered: { zh: '未定义该工具', en: 'No policy covers this tool' },
  touches_private: {
    zh: '普通授权不能解除这个禁止',
    en: 'It touches a private area; no ordinary approval lifts that',
  },
  outside_not_approved: {
    zh: '访问允许区域之外的图片目标尚未获批',
    en: 'Access to a target outside the allowed area has not been approved',
  },
  service_not_approved: {
    zh: '未被许可的服务还尚未被允许',
    en: 'Use of a service that is not on the list has not been approved',
  },
  overwrite_not_approved: {
    zh: '试图覆盖已有内容但是尚未被允许',
    en: 'It would overwrite existing content and that has not been approved',
  },
  use_not_approved: {
    zh: '这个工具每次使用都需要有人批准',
    en: 'Each use of this tool needs a person to approve it',
  },
  use_forbidden: { zh: '策略禁止使用这个工具', en: 'The policy forbids this tool' },
  hook_asks: { zh: '一个钩子要求先问人', en: 'A hook wants a person to decide' },
  outcome_unknown: {
    zh: '上次执行没有留下结果，可能已经生效；再次执行需要批准',
    en: 'It started before and left no result, so it may have taken effect; running it again needs approval',
  },
  facts_unavailable: {
    zh: '无法查明这次调用会触及什么',
    en: 'What the call would touch could not be looked up',
  },
  too_many_setbacks: {
    zh: '批准之后它会触及的内容一再改变，或一再未能启动，次数已到上限',
    en: 'What it would touch kept changing after it was approved, or it could not start, as often as the limit allows',
  },
  person_denied: { zh: '这次调用没有得到批准', en: 'The call was not approved' },
  deadline_passed: { zh: '在期限内没有人答复', en: 'Nobody answered before the deadline' },
  approval_expired: { zh: '批准已经过期', en: 'The approval has expired' },
  hook_blocked: { zh: '一个钩子阻止了这次调用', en: 'A hook blocked the call' },
  hook_failed: {
    zh: '一个钩子没有正常给出答复，调用因此被阻止',
    en: 'A hook did not answer properly, so the call was blocked',
  },
} as const satisfies Record<string, LocalizedText>;

/** The codes of the reasons this engine gives by itself. A policy may add its own. */
export type ReasonCode = keyof typeof TEXTS;

/** What a reason of the engine may say beside its code. */
export interface ReasonMore {
  /** The approval that removes it; default none does. */
  readonly approval?: Approval | null;
  /** A person's or a hook's words, or words in both languages: they follow the text after a colon. */
  readonly detail?: string | LocalizedText;
}

/** A reason of the engine. */
export function reason(
  code: ReasonCode,
  source: Reason['source'],
  { approval = null, detail = '' }: ReasonMore = {},
): Reason {
  const { zh, en } = TEXTS[code];
  if (detail === '') return { code, source, approval, zh, en };
  const words = typeof detail === 'string' ? { zh: detail, en: detail } : detail;
  return { code, source, approval, zh: `${zh}：${words.zh}`, en: `${en}: ${words.en}` };
}
