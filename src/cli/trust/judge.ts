import { isDeepStrictEqual } from 'node:util';
import type { LocalizedText } from '../../../machines/vocabulary/json.ts';
import type { SettingName, Values } from '../config-values.ts';

/** What a value is judged against. */
export interface Ground {
  /** What holds without the file; undefined for nothing. For a policy: that of its tool. */
  readonly base: unknown;
  /** Whether a path is in the working folder, links followed. */
  readonly isInside: (path: string) => boolean;
}

/** Whether a value that differs from what holds without it may take effect unasked. */
type Judge = (value: unknown, ground: Ground) => boolean;

interface Row {
  readonly isFree: Judge;
  /** What the value would do, for people; `{value}` stands for it. */
  readonly would: LocalizedText;
}

const never: Judge = () => false;
const always: Judge = () => true;
/** Numbers where less is stricter; null is no limit. */
const atMost: Judge = (value, { base }) =>
  typeof value === 'number' && (base === null || (typeof base === 'number' && value <= base));
const inside: Judge = (value, { isInside }) =>
  [value].flat().every((path) => typeof path === 'string' && isInside(path));
/** Rules speak to people and to the model, so only the words count as stricter. */
const stricterWord: Judge = (value, { base }) =>
  value === 'deny' || (value === 'ask' && base !== undefined && base !== 'deny');

const limit = (zh: string, en: string): Row => ({
  isFree: atMost,
  would: { zh: `${zh}，提高到 {value}`, en: `${en}: raised to {value}` },
});

/**
 * Every setting, and which of its values a file that was merely found may bring unasked: those that
 * change nothing, tighten, or only say how things look. A setting without a row needs trust.
 */
const SETTINGS: Readonly<Record<SettingName, Row>> = {
  'model.provider': {
    isFree: never,
    would: { zh: '把你写的内容发给 {value}', en: 'sends what you write to {value}' },
  },
  'model.name': {
    isFree: never,
    would: { zh: '由模型 {value} 回答', en: 'lets the model {value} answer' },
  },
  'model.baseURL': {
    isFree: never,
    would: {
      zh: '把你写的内容和 AGENTHUB_API_KEY 发到 {value}',
      en: 'sends what you write and AGENTHUB_API_KEY to {value}',
    },
  },
  'model.timeout': limit('等待模型的毫秒数', 'milliseconds waited for the model'),
  'model.maxRetries': limit('请求的重试次数', 'retries of a request'),
  'model.stream': {
    isFree: always,
    would: { zh: '流式输出：{value}', en: 'streams replies: {value}' },
  },
  protocol: {
    isFree: always,
    would: { zh: '使用协议 {value}', en: 'uses the protocol {value}' },
  },
  locale: { isFree: always, would: { zh: '使用语言 {value}', en: 'speaks {value}' } },
  store: {
    isFree: never,
    would: { zh: '把运行存储改为 {value}', en: 'keeps runs elsewhere: {value}' },
  },
  instructions: {
    isFree: never,
    would: { zh: '给模型下达指示：{value}', en: 'tells the model what to do: {value}' },
  },
  knowledge: {
    isFree: inside,
    would: {
      zh: '让模型检索这个目录之外的 {value}',
      en: 'lets the model search outside this folder: {value}',
    },
  },
  'files.allowed': {
    isFree: inside,
    would: {
      zh: '不经询问使用这个目录之外的文件：{value}',
      en: 'uses files outside this folder without asking: {value}',
    },
  },
  'files.private': {
    isFree: always,
    would: { zh: '对工具关闭 {value}', en: 'closes {value} to tools' },
  },
  imageService: {
    isFree: never,
    would: { zh: '把图片发给服务 {value}', en: 'sends pictures to the service {value}' },
  },
  allowedServices: {
    isFree: never,
    would: {
      zh: '不经询问使用服务 {value}',
      en: 'uses these services without asking: {value}',
    },
  },
  'permissions.policies': {
    isFree: stricterWord,
    would: { zh: '改变这个工具的权限：{value}', en: 'changes what this tool may do: {value}' },
  },
  'limits.turns': limit('模型请求次数', 'model requests'),
  'limits.toolCalls': limit('工具调用次数', 'tool calls'),
  'limits.callsPerReply': limit('每条回复的调用数', 'tool calls in one reply'),
  'limits.repairs': limit('修正回复的次数', 'replies sent back to be mended'),
  'limits.stopBlocks': limit('Stop 钩子阻止结束的次数', 'times a Stop hook may keep it going'),
  'limits.repeatedCalls': limit('同一调用的重复次数', 'repetitions of the same call'),
  'limits.tokens': limit('令牌数', 'tokens'),
  'limits.time': limit('工作时间（毫秒）', 'milliseconds of work'),
  'limits.approvalDeadline': limit('等待批准的毫秒数', 'milliseconds to answer a question'),
  'limits.setbacks': limit('一个调用的受挫次数', 'setbacks of one call'),
  'hooks.todoReminder': {
    isFree: (value) => value === true,
    would: { zh: '关闭自带的钩子 todoReminder', en: 'turns off the shipped hook todoReminder' },
  },
  'hooks.unfinishedTodos': {
    isFree: (value) => value === true,
    would: {
      zh: '关闭自带的钩子 unfinishedTodos',
      en: 'turns off the shipped hook unfinishedTodos',
    },
  },
};

const UNKNOWN: Row = { isFree: never, would: { zh: '设为 {value}', en: 'is set to {value}' } };

/** A value of a file that needs a person's word. */
export interface HeldBack {
  /** The setting, such as `model.baseURL` or `permissions.policies.echo`. */
  readonly name: string;
  readonly value: unknown;
  /** What it would do, in words; `{value}` stands for the value. */
  readonly would: LocalizedText;
}

const POLICIES = 'permissions.policies' satisfies SettingName;

/** What the values of a file are judged against: what holds without it. */
export interface Without extends Pick<Ground, 'isInside'> {
  readonly settings: Values;
  /** By tool name. */
  readonly policies: Values;
}

/** Parts a file's values into those that may take effect unasked and those that need trust. */
export function judge(
  values: Values,
  { settings, policies, isInside }: Without,
): { readonly free: Values; readonly held: readonly HeldBack[] } {
  const free: Record<string, unknown> = {};
  const held: HeldBack[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (name === POLICIES) {
      const parted = judgePolicies(value as Values, { policies, isInside });
      if (Object.keys(parted.free).length > 0) free[name] = parted.free;
      held.push(...parted.held);
      continue;
    }
    const row = rowOf(name);
    const base = Object.hasOwn(settings, name) ? settings[name] : undefined;
    if (isFree(row, value, { base, isInside })) free[name] = value;
    else held.push({ name, value, would: row.would });
  }
  return { free, held };
}

function judgePolicies(given: Values, { policies, isInside }: Omit<Without, 'settings'>) {
  const row = SETTINGS[POLICIES];
  const isUnasked = ([tool, value]: [string, unknown]) => {
    const base = Object.hasOwn(policies, tool) ? policies[tool] : undefined;
    return isFree(row, value, { base, isInside });
  };
  const all = Object.entries(given);
  return {
    free: Object.fromEntries(all.filter(isUnasked)),
    held: all
      .filter((entry) => !isUnasked(entry))
      .map(([tool, value]) => ({ name: `${POLICIES}.${tool}`, value, would: row.would })),
  };
}

function isFree(row: Row, value: unknown, ground: Ground): boolean {
  return isDeepStrictEqual(value, ground.base) || row.isFree(value, ground);
}

function rowOf(name: string): Row {
  return Object.hasOwn(SETTINGS, name) ? SETTINGS[name as SettingName] : UNKNOWN;
}
