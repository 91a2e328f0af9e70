import { type Condition, DEFAULT_POLICIES } from '../machines/permission/index.ts';
import { table } from './table.ts';

/** The shipped policies, a row per rule. */
export function policiesTable(): string {
  const rows = Object.entries(DEFAULT_POLICIES).flatMap(([tool, policy]) => {
    if (typeof policy === 'string') return [[`\`${tool}\``, '', `\`${policy}\``, '']];
    return policy.rules.map(({ when, action, approval, reason }) => [
      `\`${tool}\``,
      when.map(wordsOf).join(' and '),
      [`\`${action}\``, approval === null ? '' : `for \`${approval}\``].join(' ').trim(),
      reason.en,
    ]);
  });
  return table(
    ['tool', 'when', 'then', 'reason'],
    [...rows, ['`echo`', '', 'denied: no policy', '']],
  );
}

function wordsOf(condition: Condition): string {
  const { fact, ...rest } = condition;
  return Object.entries(rest)
    .map(([word, value]) => `\`${fact}\` ${word} \`${JSON.stringify(value)}\``)
    .join();
}
