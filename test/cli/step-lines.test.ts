import { describe, expect, it } from 'vitest';
import { reason } from '../../machines/permission/reasons.ts';
import type { RequestRecord, Usage } from '../../machines/vocabulary/model.ts';
import { duration, sayTokens, stepText, todoLines, tokensOf } from '../../src/cli/step-lines.ts';
import { textWidth } from '../../src/cli/width.ts';
import type { ModelStep, PersonStep, Step, ToolStep } from '../../src/run/run.types.ts';

const english = { locale: 'en', times: true, width: null } as const;
const chinese = { locale: 'zh', times: false, width: 40 } as const;
const part = { id: 1, turn: 2, startedAt: 1_000, endedAt: 4_400 };

const request = (usage: Usage | null): RequestRecord => ({
  messages: 1,
  characters: 10,
  usage,
  error: null,
  ms: 5,
});
const model: ModelStep = {
  ...part,
  kind: 'model',
  model: 'glm-4.6',
  status: 'ok',
  requests: [request({ inputTokens: 1_180, outputTokens: 88 })],
  characters: 40,
  calls: 2,
  error: null,
};
const tool: ToolStep = {
  ...part,
  kind: 'tool',
  callId: '2.0',
  tool: 'image_scaling',
  attempt: 1,
  input: { input: 'photo.jpg', output: 'small.webp', width: 320 },
  outcome: 'ok',
  bytes: 10,
  content: 'done',
};
const person: PersonStep = {
  ...part,
  kind: 'person',
  callId: '2.0',
  tool: 'image_scaling',
  reasons: [],
  answer: 'granted',
  approvals: ['outside', 'overwrite'],
  by: 'terminal',
};
const text = (step: Step, style: Parameters<typeof stepText>[1] = english) =>
  stepText(step, style)?.text ?? null;

describe('a step in words', () => {
  it('says model, calls, tokens and time', () => {
    expect(text(model)).toBe('model  glm-4.6 · 2 calls · 1.2k→88 tok · 3.4s');
    expect(text({ ...model, calls: 1 })).toBe('model  glm-4.6 · 1 call · 1.2k→88 tok · 3.4s');
    expect(text({ ...model, calls: 0 }, chinese)).toBe('模型   glm-4.6 · 1.2k→88 tok');
  });

  it('says so when tokens were not reported, also for one of several requests', () => {
    const known = request({ inputTokens: 5, outputTokens: 1 });
    expect(text({ ...model, calls: 0, requests: [request(null)] })).toBe(
      'model  glm-4.6 · ? tok · 3.4s',
    );
    expect(tokensOf([{ requests: [known] }, { requests: [request(null)] }])).toBeNull();
    expect(tokensOf([{ requests: [known, known] }])).toEqual({ input: 10, output: 2 });
  });

  it('says why a model failed, and that one was cancelled', () => {
    const error = { code: 'auth', message: 'HTTP 401' };
    expect(text({ ...model, status: 'error', error })).toBe(
      'model  glm-4.6 · auth: HTTP 401 · 3.4s',
    );
    expect(text({ ...model, status: 'cancelled', requests: [] })).toBe(
      'model  glm-4.6 · cancelled · 3.4s',
    );
  });

  it('cuts the input of a tool, never its outcome', () => {
    expect(text(tool)).toBe(
      'tool   image_scaling {"input":"photo.jpg","output":"small.webp","width":320} · ok · 3.4s',
    );
    expect(text(tool, chinese)).toBe('工具   image_scaling {"input":"p… · 成功');
    expect(textWidth(text(tool, chinese) ?? '')).toBeLessThanOrEqual(40);
  });

  it('goes on below where even a cut name leaves no room', () => {
    expect(text({ ...model, model: 'slow at 127.0.0.1:8765' }, { ...english, width: 39 })).toBe(
      'model  slow at 127… · 2 calls · 1.2k→88\n       tok · 3.4s',
    );
  });

  it('says why a tool failed', () => {
    const failed = { ...tool, outcome: 'error', content: 'The tool failed: no such file\nmore' };
    expect(text(failed as ToolStep, { ...english, times: false })).toBe(
      'tool   image_scaling {"input":"photo.jpg","output":"small.webp","width":320} · error\n' +
        '       The tool failed: no such file',
    );
  });

  it('tells every reason of a denial, on as many lines as that takes', () => {
    const reasons = [reason('touches_private', 'rule'), reason('tool_not_covered', 'rule')];
    const denied = {
      ...part,
      kind: 'decision',
      callId: '2.0',
      tool: 'echo',
      action: 'deny',
      outcome: 'denied',
      reasons,
    } as const;
    expect(text(denied)).toBe(
      'deny   echo · It touches a private area; no ordinary approval lifts that; No policy covers this tool',
    );
    expect(text(denied, { ...chinese, width: 30 })).toBe(
      '拒绝   echo · 普通授权不能解除\n       这个禁止; 未定义该工具',
    );
    expect(text({ ...denied, action: 'ask' })).toBeNull();
    expect(text({ ...denied, reasons: [] })).toBe('deny   echo · denied');
  });

  it('says who answered, and that nobody could', () => {
    expect(text(person)).toBe(
      'allow  image_scaling · access outside the allowed area, overwriting an existing file · by terminal',
    );
    expect(text({ ...person, answer: 'denied' })).toBe('deny   image_scaling · by terminal');
    expect(text({ ...person, answer: 'denied', by: 'command line' })).toBe(
      'deny   image_scaling · denied: nobody could be asked',
    );
    expect(text({ ...person, answer: 'expired', by: null }, chinese)).toBe(
      '拒绝   image_scaling · 已过期',
    );
  });

  it('shows escape sequences in names and inputs as text', () => {
    const evil = { ...tool, tool: 'x\u001b[2J', input: { a: '\u202e' } };
    expect(text(evil)).toBe('tool   x\\u{1b}[2J {"a":"\\u{202e}"} · ok · 3.4s');
  });
});

it('tells a claimed item from a verified one', () => {
  const evidence = ['1.0'];
  const todos = [
    { content: '查发票', status: 'completed', evidence, verified: true },
    { content: '缩放', status: 'completed', evidence: [], verified: false },
    { content: '回复\n用户', status: 'in_progress', evidence: [], verified: false },
    { content: '一件很长很长很长很长的事', status: 'pending', evidence: [], verified: false },
  ] as const;
  expect(todoLines(todos, { ...chinese, width: 22 })).toEqual([
    '待办 2/4',
    '  [x] 查发票',
    '  [?] 缩放 (未核实)',
    '  [>] 回复 用户',
    '  [ ] 一件很长很长很…',
  ]);
  expect(todoLines([], chinese)).toEqual([]);
});

it.each([
  [0, '0ms'],
  [999.4, '999ms'],
  [3_400, '3.4s'],
  [59_949, '59.9s'],
  [59_951, '1m00s'],
  [125_000, '2m05s'],
])('%d milliseconds are %s', (ms, words) => {
  expect(duration(ms)).toBe(words);
});

it.each([
  [{ input: 999, output: 1 }, '999→1 tok'],
  [{ input: 1_180, output: 88 }, '1.2k→88 tok'],
  [{ input: 999_950, output: 2_000 }, '1.0M→2.0k tok'],
])('%o are %s', (tokens, words) => {
  expect(sayTokens(tokens)).toBe(words);
});
