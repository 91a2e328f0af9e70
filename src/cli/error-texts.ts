import { AgentHubError, type ErrorData, toErrorData } from '../../machines/vocabulary/errors.ts';
import type { JsonObject, Locale } from '../../machines/vocabulary/json.ts';
import type { ModelErrorCode } from '../../machines/vocabulary/model.ts';
import type { Refusal } from '../run/run.types.ts';
import { isTextName, say, type TextName } from './texts.ts';

const SAFE = '之前存下的没有变动；之后的没有存下。';

/**
 * Errors of other modules in Chinese, by code. `{name}` stands for a detail, `{message}` for what
 * the error says itself.
 */
export const CHINESE: Readonly<Record<string, string>> = {
  store_unavailable:
    '{file}：数据库无法打开，或在使用中被移走、替换。没有再存下任何东西；请检查路径和权限，或把文件放回原处。',
  store_corrupt:
    '{file}：数据库已损坏，这一部分读不了。没有存下任何东西；能读出的运行仍可使用。请先复制一份，再用 sqlite3 文件 ".recover" 恢复其余部分。',
  store_readonly: `{file}：文件或所在目录不可写。${SAFE}请给予写权限；存下的运行之后可以接着运行。`,
  store_full: `{file}：磁盘已满。${SAFE}请腾出空间；存下的运行之后可以接着运行。`,
  store_busy: `{file}：另一个进程占用数据库太久。${SAFE}请再试一次。`,
  store_foreign: '{file}：这不是 AgentHub 的数据库。文件没有改动；请指定另一个文件。',
  store_too_new: '{file}：由更新版本的 AgentHub 写成。文件没有改动；请用那个版本。',
  store_failed: `{file}：磁盘拒绝了读写。${SAFE}请检查磁盘；存下的运行之后可以接着运行。`,
  run_unknown: '没有这个运行。',
  run_exists: '存储里已经有这个编号的运行；没有写入。用 --as <编号> 换一个编号导入。',
  run_driven: '运行 {runId} 由 {owner} 驱动。可以从这里答复，或等那个进程结束。',
  lease_lost: '运行 {runId} 已由别的进程接手；这里没有再写入。',
  log_corrupt: '运行 {runId} 的记录读不了。其他运行不受影响。',
  run_ended: '运行 {runId} 已经结束，不能接着运行。',
  version_mismatch:
    '运行由状态机版本 {recorded} 记录，这里是 {current}。没有写入；请用那个版本的 AgentHub，或用它的任务重新开始。',
  policies_changed:
    '运行 {runId} 开始时的权限策略和现在配置的不同，不同的是这些工具的策略：{policies}。没有写入；请用当时的配置，或 agenthub fork … --policies current。',
  hooks_changed:
    '运行 {runId} 开始时的钩子和现在的不同，缺少、多出、改过或换了次序的是：{hooks}。没有写入；请注册当时的钩子。',
  not_ended: '运行 {runId} 还没有结束（{status}）。没有删除；请先取消：agenthub cancel {runId}',
  imported_calls:
    '运行 {runId} 是导入的，有未完成的调用，它们是在别处决定的。没有写入。请从第 {seq} 条记录、这些调用之前分叉：agenthub fork {runId} --at {seq}；文件是自己的，可用 import --trusted 导入。',
  tools_changed:
    '运行 {runId} 有未完成的调用，用到这里没有的工具：{tools}。没有写入；请提供这些工具。',
  fork_under_way:
    '分叉处有一个已批准或正在执行的调用，它会再开始一次。没有写入；请在它之前分叉：--at {seq}。',
  fork_diverges: '在另外的策略下，第 {seq} 条记录会走向别处。请在它之前分叉。',
  call_unknown: '运行 {runId} 没有调用 {callId}。它的调用：{calls}。',
  invalid_record: '没有第 {to} 条记录：记录从 0 到 {last}。',
  invalid_export: '这不是导出的运行：{why}。没有写入。',
  invalid_prompt: '任务是空的：请说明要做什么。',
  invalid_options: '选项不对：{message}',
  invalid_model_options: '模型的设置不对：{message}',
  invalid_area: 'files.allowed 或 files.private 里的目录不存在；请建立它或改配置（{message}）',
  invalid_origin:
    'allowedServices 里只写协议、主机和端口，如 "https://img.example"，不写路径（{message}）',
  invalid_path: '这个路径不能用（{message}）',
  port_in_use: '--port：这个端口已被占用。请换一个，或不写 --port 用任意空闲端口。',
  cannot_listen: '检查器页面无法在这个端口上监听（{message}）',
  page_not_built: '检查器页面还没有构建：在源码目录里请先运行 npm run build。',
  space_too_large: '状态空间太大，探索不完；请让世界或性质的记忆更小（{message}）',
  too_many_facts:
    '一条策略的规则要分辨的事实组合太多；请在自己的 worlds 里用 callOf 写明看哪些（{message}）',
  replay_failed: '路径和真实运行的机器对不上（{message}）',
  bad_response: '模型的回复没有应有的形式（{message}）',
  engine_error: '引擎没有说明就停了，这是 AgentHub 的错误（{message}）',
  hook_failed: '一个钩子出了故障（{message}）',
  model_failed: '模型的代码出了故障（{message}）',
  parse_failed: '回复无法读取，这是 AgentHub 的错误（{message}）',
  no_outcome: '运行结束而没有说明结果，这是 AgentHub 的错误（{message}）',
  port_missing: '状态机缺少一个实现（{message}）',
};

/** Why a model gave no reply, in Chinese: what is wrong and what to do. */
export const MODEL_CHINESE: Readonly<Record<ModelErrorCode, string>> = {
  auth: '接口不接受密钥或账户。请检查 API 密钥、账户和接口地址。',
  rate_limit: '请求太多或额度用完。请等一等，或检查账户的额度。',
  context_length: '对话太长，模型读不下。请缩短对话，或换上下文更长的模型。',
  unavailable: '连不上模型，或它现在不能回答。请检查网络和接口地址。',
  bad_request: '接口不接受这个请求。请检查模型名、接口地址和 extraBody。',
  bad_response: '接口的回复不是应有的形式。请检查接口地址是不是兼容 OpenAI 的接口。',
  aborted: '运行已取消。',
};

/** A run goes on under the rules it began with, and those may have been an extension's. */
const OTHER_RULES = new Set(['policies_changed', 'hooks_changed', 'tools_changed']);

/**
 * An error in the person's language: what is wrong, what is safe, what to do. What only the
 * original tells follows in parentheses.
 */
export function sayError(error: ErrorData, locale: Locale): string {
  const { also } = (error.details ?? {}) as { readonly also?: Said };
  const isOther = OTHER_RULES.has(error.code);
  const text = `${sayAlone(error, locale)}${isOther ? say(locale, 'sameExtension') : ''}`;
  return isTextName(also?.says) ? `${text}\n${say(locale, also.says, also.values)}` : text;
}

/** The error with a sentence after it, said in the person's language too. */
export function withNote(thrown: unknown, says: TextName, values: Values): AgentHubError {
  const { code, message, details } = toErrorData(thrown, 'error');
  return new AgentHubError(code, message, { ...(details as JsonObject), also: { says, values } });
}

function sayAlone({ code, message, details }: ErrorData, locale: Locale): string {
  const values: Readonly<Record<string, unknown>> = { message, ...(details as object) };
  if (isTextName(values.says)) return say(locale, values.says, values.values as Values);
  if (locale === 'en') return message;
  const isOfModel = values.retryable !== undefined && Object.hasOwn(MODEL_CHINESE, code);
  if (isOfModel && typeof values.cause === 'string')
    return `${MODEL_CHINESE[code as ModelErrorCode]}（${values.cause}）`;
  const chinese = Object.hasOwn(CHINESE, code) ? CHINESE[code] : undefined;
  if (chinese === undefined) return message;
  let original = typeof values.cause === 'string' ? values.cause : '';
  const text = chinese.replace(/\{(\w+)\}/gu, (_, name: string) => {
    if (values[name] !== undefined) return [values[name]].flat().join('、');
    original = message;
    return '…';
  });
  return original === '' ? text : `${text}（${original}）`;
}

type Values = Readonly<Record<string, string | number>>;

/** A text of the command line in an error's details. */
interface Said {
  readonly says: unknown;
  readonly values: Values;
}

const REFUSALS: Readonly<Record<Refusal['code'], string>> = {
  not_asked: '这个调用没有等待答复的问题：已经答复过，或从未询问。',
  stale: '问题显示之后，这个调用要做的事变了。请再看一次。',
  not_missing: '批准必须至少包含一项缺少的批准，并且不能包含别的。',
  ended: '运行已经结束。',
  not_suspended: '运行没有暂停。',
  not_raised: '必须提高让运行停下的那个上限。',
  not_an_answer: '这不是人可以发出的四种事件之一。',
  invalid_answer: '这不是一个答复；什么都没有改变。',
  lapsed: '这个进程停顿的时间超过了它的租约，运行可能已由别的进程接手。请稍后再答复一次。',
};

/** Why an answer did not count. */
export function sayRefusal({ code, message }: Refusal, locale: Locale): string {
  return locale === 'en' ? message : REFUSALS[code];
}
