import type { Policy, Rule } from '../../../machines/permission/policies.ts';
import { reason } from '../../../machines/permission/reasons.ts';

/**
 * The stricter of two policies of a tool: what both allow. A folder's `ask` adds a question to the
 * rules that hold without it and takes none away; a tool that nothing covers stays uncovered.
 */
export function stricter(base: Policy | undefined, word: 'ask' | 'deny'): Policy | undefined {
  if (word === 'deny') return word;
  if (base === undefined || base === 'deny') return base;
  if (base === 'allow' || base === 'ask') return 'ask';
  return { rules: [...base.rules, alwaysAsk()] };
}

function alwaysAsk(): Rule {
  const { code, zh, en } = reason('use_not_approved', 'rule');
  return { when: [], action: 'ask', approval: 'use', reason: { code, zh, en } };
}
