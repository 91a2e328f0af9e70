import type { Reason } from '../../../machines/permission/reasons.ts';
import type { LocalizedText } from '../../../machines/vocabulary/json.ts';
import type { Explanation, WhyEntry } from './why.types.ts';

/** What decided last, in words. */
export function deciderOf(entries: readonly WhyEntry[]): LocalizedText {
  const settled = entries.findLast((entry) => entry.kind === 'settled');
  if (settled?.kind === 'settled') {
    const [first] = settled.reasons;
    if (first?.source === 'person') {
      const answer = entries.findLast((entry) => entry.kind === 'answer');
      const by = answer?.kind === 'answer' ? (answer.by ?? '') : '';
      return { zh: `人：${by}`, en: `person: ${by}` };
    }
    if (first?.source === 'hook') return { zh: `钩子：${first.zh}`, en: `hook: ${first.en}` };
    if (first?.source === 'engine') return { zh: `引擎：${first.zh}`, en: `engine: ${first.code}` };
    if (settled.outcome === 'unknown_tool' || settled.outcome === 'invalid_arguments')
      return { zh: `引擎：${settled.outcome}`, en: `engine: ${settled.outcome}` };
  }
  const decision = entries.findLast((entry) => entry.kind === 'decision');
  if (decision?.kind !== 'decision') return { zh: '还没有', en: 'nothing yet' };
  const deciding = decision.considered.filter(
    ({ action, matched, lifted }) => action === decision.action && matched && !lifted,
  );
  const lifted = decision.considered.filter((one) => one.matched && one.lifted);
  const rules = (deciding.length > 0 ? deciding : lifted).map(({ rule }) => rule).join(', ');
  if (rules === '') return { zh: '没有规则反对', en: 'no rule objects' };
  if (deciding.length > 0) return { zh: rules, en: rules };
  const by = [...new Set(decision.grants.map((grant) => grant.by))].join(', ');
  return { zh: `${rules}，由 ${by} 的批准解除`, en: `${rules}, lifted by ${by}` };
}

const CHANGES = {
  tool_not_covered: {
    zh: '在 permissions.policies 里给这个工具一条策略',
    en: 'A policy for the tool in permissions.policies',
  },
  touches_private: {
    zh: '只有改动私有区域的配置；没有批准能解除',
    en: 'Only another configuration of the private areas; no approval lifts it',
  },
  hook: { zh: '钩子给出别的结论', en: 'Another verdict of the hook' },
  person: { zh: '有人批准', en: "A person's approval" },
  engine: {
    zh: '在期限内的答复，或能查明的事实',
    en: 'An answer in time, or facts that can be looked up',
  },
  unknown_tool: { zh: '调用一个存在的工具', en: 'A call of a tool that exists' },
  invalid_arguments: { zh: '符合工具要求的参数', en: 'Arguments that fit the tool' },
  lifted: { zh: '没有那个批准', en: 'Without that approval' },
  allowed: { zh: '一条禁止或要求询问的策略', en: 'A policy that denies it or asks' },
} as const satisfies Record<string, LocalizedText>;

/** What would have to be different for a call to come out otherwise. */
export function wouldChange(
  stands: Explanation['stands'],
  reasons: readonly Reason[],
  { tool, isLifted }: { readonly tool: string; readonly isLifted: boolean },
): readonly LocalizedText[] {
  if (stands === 'unknown_tool' || stands === 'invalid_arguments') return [CHANGES[stands]];
  if (reasons.length === 0) return isLifted ? [CHANGES.lifted, CHANGES.allowed] : [CHANGES.allowed];
  const changes = reasons.map(({ code, source, approval }): LocalizedText => {
    if (approval !== null)
      return { zh: `批准 ${approval}（${tool}）`, en: `Approval of ${approval} for ${tool}` };
    if (code === 'tool_not_covered' || code === 'touches_private') return CHANGES[code];
    return source === 'rule'
      ? { zh: '改动策略里的这条规则', en: 'Another rule in the policy' }
      : CHANGES[source];
  });
  return [...new Map(changes.map((change) => [change.en, change])).values()];
}
