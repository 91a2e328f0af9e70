import type { ErrorData } from '../../machines/vocabulary/errors.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import type { AnswerResult } from '../run/run.types.ts';

const SAFE = '之前存下的没有变动；之后的没有存下。';

/** Errors of the store and of stored runs in Chinese, by code. `{name}` stands for a detail. */
const CHINESE: Readonly<Record<string, string>> = {
  store_unavailable:
    '{file}：数据库无法打开，或在使用中被移走、替换。没有再存下任何东西；请检查路径和权限，或把文件放回原处。',
  store_corrupt:
    '{file}：数据库已损坏，这一部分读不了。没有存下任何东西；能读出的运行仍可使用。请先复制一份，再用 sqlite3 文件 ".recover" 恢复其余部分。',
  store_readonly: `{file}：文件或所在目录不可写。${SAFE}请给予写权限，再接着运行。`,
  store_full: `{file}：磁盘已满。${SAFE}请腾出空间，再接着运行。`,
  store_busy: `{file}：另一个进程占用数据库太久。${SAFE}请再试一次。`,
  store_foreign: '{file}：这不是 AgentHub 的数据库。文件没有改动；请指定另一个文件。',
  store_too_new: '{file}：由更新版本的 AgentHub 写成。文件没有改动；请用那个版本。',
  store_failed: `{file}：磁盘拒绝了读写。${SAFE}请检查磁盘，再接着运行。`,
  run_unknown: '没有这个运行。',
  run_exists: '存储里已经有这个编号的运行；没有写入。用 --as <编号> 换一个编号导入。',
  run_driven: '运行 {runId} 由 {owner} 驱动。可以从这里答复，或等那个进程结束。',
  lease_lost: '运行 {runId} 已由别的进程接手；这里没有再写入。',
  log_corrupt: '运行 {runId} 的记录读不了。其他运行不受影响。',
  run_ended: '运行 {runId} 已经结束，不能接着运行。',
  version_mismatch:
    '运行由状态机版本 {recorded} 记录，这里是 {current}。没有写入；请用那个版本的 AgentHub，或用它的任务重新开始。',
  policies_changed:
    '运行 {runId} 开始时的权限策略和现在配置的不同。没有写入；请用当时的配置，或 agenthub fork … --policies current。',
  hooks_changed: '运行 {runId} 开始时的钩子和现在的不同。没有写入；请注册当时的钩子。',
  tools_changed:
    '运行 {runId} 有未完成的调用，用到这里没有的工具：{tools}。没有写入；请提供这些工具。',
  fork_diverges: '在另外的策略下，第 {seq} 条记录会走向别处。请在它之前分叉。',
  invalid_record: '没有这一条记录。',
  invalid_export: '这不是导出的运行：{why}。没有写入。',
};

/**
 * An error in the person's language: what is wrong, what is safe, what to do. What only the
 * original tells follows in parentheses.
 */
export function sayError({ code, message, details }: ErrorData, locale: Locale): string {
  const chinese = Object.hasOwn(CHINESE, code) ? CHINESE[code] : undefined;
  if (locale === 'en' || chinese === undefined) return message;
  const values = (details ?? {}) as Readonly<Record<string, unknown>>;
  let original = typeof values.cause === 'string' ? values.cause : '';
  const text = chinese.replace(/\{(\w+)\}/gu, (_, name: string) => {
    if (values[name] !== undefined) return String(values[name]);
    original = message;
    return '…';
  });
  return original === '' ? text : `${text}（${original}）`;
}

type Refusal = Extract<AnswerResult, { accepted: false }>;

const REFUSALS: Readonly<Record<Refusal['code'], string>> = {
  not_asked: '这个调用没有等待答复的问题：已经答复过，或从未询问。',
  stale: '问题显示之后，这个调用要做的事变了。请再看一次。',
  not_missing: '批准必须至少包含一项缺少的批准，并且不能包含别的。',
  ended: '运行已经结束。',
  not_suspended: '运行没有暂停。',
  not_raised: '必须提高让运行停下的那个上限。',
  not_an_answer: '这不是人可以发出的四种事件之一。',
};

/** Why an answer did not count. */
export function sayRefusal({ code, message }: Refusal, locale: Locale): string {
  return locale === 'en' ? message : REFUSALS[code];
}
