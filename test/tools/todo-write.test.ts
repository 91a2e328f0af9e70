import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { toToolSpec } from '../../src/tools/define-tool.ts';
import type { TodoInput } from '../../src/tools/todo-write/changes.ts';
import { createTodoWrite } from '../../src/tools/todo-write/todo-write.ts';
import { todos } from '../cases/kinds/todos.ts';
import { callMessages, createToolContext, runTool } from './tool-context.ts';

const tool = createTodoWrite();
const list = (...items: TodoInput['todos']): TodoInput => ({ todos: items });

describe('todo_write', () => {
  it('judges every list as its row says', async () => {
    const file = fileURLToPath(new URL('../cases/todos.json', import.meta.url));
    const { failed, passed } = await todos.run(file);
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(80);
  });

  it('may be called once per reply, and again after a crash', () => {
    expect(toToolSpec(tool, 'zh').oncePerReply).toBe(true);
    expect(tool.safeToRepeat).toBe(true);
  });

  it('touches nothing but the run', async () => {
    expect(await tool.inspectFacts(list(), createToolContext())).toEqual({});
  });

  it('tells counts and what is next', async () => {
    const input = list(
      { content: '查政策', status: 'in_progress' },
      { content: '写答复', status: 'pending' },
    );
    expect(await runTool(tool, input)).toEqual({
      content: '清单已更新：共 2 项，已完成 0，进行中 1，待办 1。\n下一步：「查政策」。',
      details: { total: 2, completed: 0, verified: 0, warnings: [] },
    });
    expect((await runTool(tool, input, { locale: 'en' })).content).toBe(
      'The list was updated: 2 in all, 0 completed, 1 in progress, 1 pending.\nNext: "查政策".',
    );
  });

  it('verifies a completed item only by calls of this run that ended ok', async () => {
    const messages = [
      ...callMessages('1.0', { tool: 'knowledge_search', input: {}, outcome: 'ok' }),
      ...callMessages('2.0', { tool: 'image_scaling', input: {}, outcome: 'denied' }),
      ...callMessages('3.0', { tool: 'todo_write', input: list() as never, outcome: 'ok' }),
    ];
    const input = list(
      { content: 'searched', status: 'completed', evidence: ['1.0'] },
      { content: 'denied', status: 'completed', evidence: ['1.0', '2.0'] },
      { content: 'itself', status: 'completed', evidence: ['3.0'] },
      { content: 'invented', status: 'completed', evidence: ['9.9'] },
      { content: 'claimed', status: 'completed' },
    );
    const { content, details } = await runTool(tool, input, { messages, locale: 'en' });
    expect(details).toMatchObject({ completed: 5, verified: 1 });
    expect(content).toContain('unverified: "denied", "itself", "invented", "claimed".');
    expect(content.endsWith('Everything on the list is marked as completed.')).toBe(true);
  });

  it('names what was dropped, taken back and never started', async () => {
    const before = list(
      { content: '甲', status: 'completed' },
      { content: '乙', status: 'pending' },
      { content: '丙', status: 'in_progress' },
    );
    const messages = callMessages('1.0', {
      tool: 'todo_write',
      input: before as never,
      outcome: 'ok',
    });
    const after = list(
      { content: '甲', status: 'pending' },
      { content: '乙', status: 'completed', evidence: [] },
    );
    const { content, details } = await runTool(tool, after, { messages });
    expect(details?.warnings).toEqual([
      { code: 'dropped', items: ['丙'] },
      { code: 'regressed', items: ['甲'] },
      { code: 'skipped', items: ['乙'] },
      { code: 'none_in_progress', items: ['甲'] },
    ]);
    expect(content.split('\n').filter((line) => line.startsWith('注意：'))).toEqual([
      '注意：有未完成的项被去掉了：「丙」。如果不是有意的，请补回清单。',
      '注意：已完成的项又退回未完成：「甲」。',
      '注意：没有经过进行中就标为完成：「乙」。',
      '注意：还有未完成的项，但没有一项在进行中：「甲」。',
    ]);
  });

  it('compares with the last list that was accepted, of its own run only', async () => {
    const input = list({ content: 'kept', status: 'pending' });
    const refused = callMessages('1.0', {
      tool: 'todo_write',
      input: list({ content: 'refused', status: 'pending' }) as never,
      outcome: 'invalid_arguments',
    });
    expect((await runTool(tool, input, { messages: refused })).details?.warnings).toEqual([]);
    expect((await runTool(tool, input)).details?.warnings).toEqual([]);
  });
});
