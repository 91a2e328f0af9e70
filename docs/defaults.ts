import type { Limits } from '../machines/agent/agent.types.ts';
import type { Locale, LocalizedText } from '../machines/vocabulary/json.ts';
import { DEFAULT_HOOK_TIMEOUT } from '../src/hooks/define-hook.ts';
import { readOpenAIOptions } from '../src/model/openai-options.ts';
import { AGENT_DEFAULTS, DEFAULT_AGENT_LIMITS } from '../src/run/agent-options.ts';
import { DEFAULT_TOOL_TIMEOUT } from '../src/tools/define-tool.ts';
import { table } from './table.ts';

const LIMITS: Readonly<Record<keyof Limits, LocalizedText>> = {
  turns: { zh: '模型请求次数', en: 'model requests' },
  toolCalls: { zh: '工具调用次数', en: 'tool calls' },
  callsPerReply: { zh: '一次回复中的调用数', en: 'tool calls in one reply' },
  repairs: {
    zh: '读不懂而退回修正的回复',
    en: 'replies that could not be read and were sent back',
  },
  stopBlocks: { zh: 'Stop 钩子阻止结束的次数', en: 'times a Stop hook kept the run going' },
  repeatedCalls: {
    zh: '同一工具、同样参数、同样结果的次数',
    en: 'times the same call gave the same result',
  },
  tokens: { zh: 'token 总数（按服务方报告）', en: 'tokens in and out, as reported' },
  time: { zh: '工作时间，不含等人', en: 'time at work, waiting for people left out' },
  approvalDeadline: {
    zh: '等人答复的时间（没有存储时）',
    en: 'time a person has to answer (without a store)',
  },
  setbacks: {
    zh: '一个调用在启动前可以受挫的次数：批准之后情况变了，或未能启动',
    en: 'times a call may be set back: what was approved has changed, or it could not start',
  },
};

const TIMES = new Set(['time', 'approvalDeadline']);

/** The table of limits and defaults, read from the code. */
export function defaultsTable(locale: Locale): string {
  const none = { zh: '不限', en: 'none' }[locale];
  const limits = Object.entries(DEFAULT_AGENT_LIMITS).map(([name, value]): Row => {
    const shown = value === null ? none : TIMES.has(name) ? seconds(value) : String(value);
    return [`\`limits.${name}\``, LIMITS[name as keyof Limits][locale], shown];
  });
  const { timeout, maxRetries, maxRetryDelay } = readOpenAIOptions({ model: 'm' });
  const others: readonly (readonly [string, LocalizedText, string])[] = [
    [
      'maxResultBytes',
      {
        zh: '工具结果的字节数，超出则截断并标明',
        en: "bytes of a tool's result; more is cut and marked",
      },
      String(AGENT_DEFAULTS.maxResultBytes),
    ],
    [
      'maxParallelTools',
      { zh: '同时运行的工具', en: 'tools that run at the same time' },
      String(AGENT_DEFAULTS.maxParallelTools),
    ],
    [
      'inspectTimeout',
      { zh: '查明一次调用会触及什么', en: 'looking up what a call would touch' },
      seconds(AGENT_DEFAULTS.inspectTimeout),
    ],
    [
      'defineTool timeout',
      { zh: '一次工具调用', en: 'one start of a tool' },
      seconds(DEFAULT_TOOL_TIMEOUT),
    ],
    ['defineHook timeout', { zh: '一个钩子', en: 'one hook' }, seconds(DEFAULT_HOOK_TIMEOUT)],
    ['model.timeout', { zh: '模型沉默的时间', en: 'silence of the model' }, seconds(timeout)],
    [
      'model.maxRetries',
      { zh: '没有得到回复时的重试', en: 'retries where no reply came' },
      String(maxRetries),
    ],
    [
      'maxRetryDelay',
      { zh: '最长的 Retry-After', en: 'longest Retry-After that is waited for' },
      seconds(maxRetryDelay),
    ],
  ];
  const rows = [
    ...limits,
    ...others.map(([name, text, value]): Row => [`\`${name}\``, text[locale], value]),
  ];
  const head = { zh: ['名称', '限制什么', '默认'], en: ['name', 'what it bounds', 'default'] }[
    locale
  ];
  return table(head, rows);
}

type Row = readonly [string, string, string];

function seconds(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`;
}
