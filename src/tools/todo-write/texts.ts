import type { Locale } from '../../../machines/vocabulary/json.ts';
import type { TodoStatus } from '../../../machines/vocabulary/todos.ts';
import type { TodoWarning } from './changes.ts';

interface ShownItem {
  readonly content: string;
  readonly status: TodoStatus;
  readonly verified: boolean;
}

interface Counts {
  readonly total: number;
  readonly completed: number;
  readonly inProgress: number;
  readonly pending: number;
}

/** The most successful calls that are named. */
const MAX_CALLS = 10;

/** What the model is told about the list it wrote: counts, warnings, what is next. */
export function describeList(
  items: readonly ShownItem[],
  warnings: readonly TodoWarning[],
  {
    locale,
    succeeded,
  }: { readonly locale: Locale; readonly succeeded: ReadonlyMap<string, string> },
): string {
  const texts = TEXTS[locale];
  const count = (status: TodoStatus) => items.filter((item) => item.status === status).length;
  const unverified = items.filter((item) => item.status === 'completed' && !item.verified);
  const lines = [
    texts.counts({
      total: items.length,
      completed: count('completed'),
      inProgress: count('in_progress'),
      pending: count('pending'),
    }),
    ...warnings.map((warning) => texts.warning + texts[warning.code](quote(warning.items, locale))),
  ];
  if (unverified.length > 0) {
    const names = unverified.map(({ content }) => content);
    lines.push(texts.unverified(quote(names, locale)));
    // A model is not shown the ids of its calls elsewhere.
    const calls = [...succeeded].slice(-MAX_CALLS).map(([id, tool]) => `${id} (${tool})`);
    if (calls.length > 0) lines.push(texts.succeeded(calls.join(', ')));
  }
  const next =
    items.find(({ status }) => status === 'in_progress') ??
    items.find(({ status }) => status === 'pending');
  if (next !== undefined) lines.push(texts.next(quote([next.content], locale)));
  else lines.push(items.length === 0 ? texts.empty : texts.done);
  return lines.join('\n');
}

function quote(items: readonly string[], locale: Locale): string {
  return locale === 'zh'
    ? items.map((item) => `「${item}」`).join('、')
    : items.map((item) => `"${item}"`).join(', ');
}

const TEXTS = {
  zh: {
    counts: ({ total, completed, inProgress, pending }: Counts) =>
      `清单已更新：共 ${total} 项，已完成 ${completed}，进行中 ${inProgress}，待办 ${pending}。`,
    warning: '注意：',
    dropped: (items: string) => `有未完成的项被去掉了：${items}。如果不是有意的，请补回清单。`,
    regressed: (items: string) => `已完成的项又退回未完成：${items}。`,
    skipped: (items: string) => `没有经过进行中就标为完成：${items}。`,
    several_in_progress: (items: string) => `有不止一项在进行中：${items}。一次只做一项。`,
    none_in_progress: (items: string) => `还有未完成的项，但没有一项在进行中：${items}。`,
    unverified: (items: string) =>
      `已完成但没有成功的调用作证，显示为未核实：${items}。请在 evidence 里写上证明它的调用编号。`,
    succeeded: (calls: string) => `成功的调用：${calls}。`,
    next: (item: string) => `下一步：${item}。`,
    done: '清单上的事都标为完成了。',
    empty: '清单是空的。',
  },
  en: {
    counts: ({ total, completed, inProgress, pending }: Counts) =>
      `The list was updated: ${total} in all, ${completed} completed, ${inProgress} in progress, ${pending} pending.`,
    warning: 'Warning: ',
    dropped: (items: string) =>
      `unfinished items were dropped: ${items}. Put them back unless that was meant.`,
    regressed: (items: string) => `completed items went back to unfinished: ${items}.`,
    skipped: (items: string) => `completed without having been in progress: ${items}.`,
    several_in_progress: (items: string) =>
      `more than one item is in progress: ${items}. Do one at a time.`,
    none_in_progress: (items: string) => `items are unfinished, but none is in progress: ${items}.`,
    unverified: (items: string) =>
      `Completed without a successful call as evidence, so shown as unverified: ${items}. Name the calls that show it in evidence.`,
    succeeded: (calls: string) => `Calls that succeeded: ${calls}.`,
    next: (item: string) => `Next: ${item}.`,
    done: 'Everything on the list is marked as completed.',
    empty: 'The list is empty.',
  },
} as const;
