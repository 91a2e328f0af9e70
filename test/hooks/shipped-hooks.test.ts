import { describe, expect, it } from 'vitest';
import type { Json } from '../../machines/vocabulary/json.ts';
import type { TodoItem } from '../../machines/vocabulary/todos.ts';
import {
  auditLine,
  runPostToolUse,
  runPreToolUse,
  runStop,
  runUserPromptSubmit,
  todoReminder,
  unfinishedTodos,
} from '../../src/hooks/index.ts';
import { call, result, steppingClock, stopping, view } from './views.ts';

const options = { signal: new AbortController().signal, now: steppingClock() };
const valid = { validate: (value: Json) => ({ ok: true, value }) as const };

function todo(content: string, status: TodoItem['status'], verified = false): TodoItem {
  return { content, status, evidence: verified ? ['1.0'] : [], verified };
}

describe('todoReminder', () => {
  const todos = [todo('scale a', 'in_progress'), todo('find b', 'completed', true)];

  it('reminds of open items beside the result', async () => {
    const after = await runPostToolUse([todoReminder()], { ...result, todos }, options);
    expect(after.content).toBe('scaled');
    expect(after.context).toHaveLength(1);
    expect(after.context[0]?.text).toContain('- scale a (in progress)');
    expect(after.context[0]?.text).not.toContain('find b');
  });

  it('is silent on todo_write, without a list, and when all is done', async () => {
    const hooks = [todoReminder()];
    const silent = { content: 'scaled', context: [], failures: [] };
    const write = { ...result, tool: 'todo_write', todos };
    expect(await runPostToolUse(hooks, write, options)).toEqual(silent);
    expect(await runPostToolUse(hooks, result, options)).toEqual(silent);
    const done = { ...result, todos: [todo('a', 'completed', true)] };
    expect(await runPostToolUse(hooks, done, options)).toEqual(silent);
  });
});

describe('unfinishedTodos', () => {
  it('allows without a list and with a finished one', async () => {
    expect((await runStop([unfinishedTodos()], stopping, options)).verdict).toBe('allow');
    const done = { ...stopping, todos: [todo('a', 'completed', true)] };
    expect((await runStop([unfinishedTodos()], done, options)).verdict).toBe('allow');
  });

  it('names what is unfinished and what is unverified, in the language of the run', async () => {
    const todos = [
      todo('缩放 a.png', 'in_progress'),
      todo('查退货期限', 'completed'),
      todo('回显', 'completed', true),
    ];
    const stopped = await runStop(
      [unfinishedTodos()],
      { ...stopping, todos, locale: 'zh' },
      options,
    );
    expect(stopped.verdict).toBe('block');
    const text = stopped.reasons[0]?.text ?? '';
    expect(text).toContain('还有未完成的事项：\n- 缩放 a.png（进行中）\n');
    expect(text).toContain('作为依据：\n- 查退货期限（已完成）\n');
    expect(text).not.toContain('回显');
  });
});

describe('auditLine', () => {
  it('writes one line per event and changes nothing', async () => {
    const lines: string[] = [];
    const hooks = auditLine((line) => lines.push(line));
    const twoLines = { ...view, prompt: 'one\ntwo\u2028three' };
    expect((await runUserPromptSubmit(hooks, twoLines, options)).verdict).toBe('proceed');
    expect((await runPreToolUse(hooks, call, { ...options, ...valid })).verdict).toBe('proceed');
    expect((await runPostToolUse(hooks, result, options)).content).toBe('scaled');
    expect((await runStop(hooks, stopping, options)).verdict).toBe('allow');
    expect(lines).toEqual([
      'UserPromptSubmit run="run-1" turn=2 prompt="one\\ntwo\\u2028three"',
      'PreToolUse run="run-1" turn=2 call="2.0" tool="image_scaling" input={"width":10}',
      'PostToolUse run="run-1" turn=2 call="2.0" tool="image_scaling" outcome="ok" ms=12 characters=6',
      'Stop run="run-1" turn=2 stopBlocks=0 characters=5',
    ]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('a writer that %s harms nothing', async (_, write) => {
    const hooks = auditLine(write);
    expect((await runPreToolUse(hooks, call, { ...options, ...valid })).verdict).toBe('proceed');
    expect((await runPostToolUse(hooks, result, options)).failures).toEqual([]);
    expect((await runStop(hooks, stopping, options)).verdict).toBe('allow');
  });
});
