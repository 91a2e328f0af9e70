import type { Locale } from '../../machines/vocabulary/json.ts';
import { TODO_TOOL, type TodoItem } from '../../machines/vocabulary/todos.ts';
import { defineHook } from './define-hook.ts';
import type { Hook } from './hook.types.ts';

interface TodoTexts {
  /** With the id of the call that just ended, which may serve as evidence. */
  reminder(callId: string): string;
  readonly unfinished: string;
  readonly unverified: string;
  readonly advice: string;
  readonly status: Readonly<Record<TodoItem['status'], string>>;
  line(item: TodoItem, status: string): string;
}

const TEXTS: Readonly<Record<Locale, TodoTexts>> = {
  zh: {
    reminder: (callId) =>
      `提醒：待办清单里还有未完成的事项。完成一项后请用 todo_write 更新整个清单；这次调用的编号是 ${callId}，可以写进 evidence。`,
    unfinished: '待办清单里还有未完成的事项：',
    unverified: '这些事项标为已完成，但没有指明成功的调用作为依据：',
    advice:
      '请继续完成，或用 todo_write 更新清单（已完成的事项在 evidence 里写上成功调用的编号；做不到的事项从清单里去掉，并在答复里说明）。',
    status: { pending: '未开始', in_progress: '进行中', completed: '已完成' },
    line: (item, status) => `- ${item.content}（${status}）`,
  },
  en: {
    reminder: (callId) =>
      `Reminder: the to-do list has open items. After finishing one, update the whole list with todo_write; the id of this call is ${callId}, for evidence.`,
    unfinished: 'These to-do items are not finished:',
    unverified: 'These items are marked completed but name no successful call as evidence:',
    advice:
      'Go on with them, or update the list with todo_write (give completed items the ids of successful calls as evidence; take out what cannot be done and say so in the answer).',
    status: { pending: 'pending', in_progress: 'in progress', completed: 'completed' },
    line: (item, status) => `- ${item.content} (${status})`,
  },
};

function listed(items: readonly TodoItem[], texts: TodoTexts): string {
  return items.map((item) => texts.line(item, texts.status[item.status])).join('\n');
}

/**
 * PostToolUse: while the to-do list has items that are not completed, reminds the model of them
 * beside each result, except that of `todo_write` itself.
 */
export function todoReminder(): Hook<'PostToolUse'> {
  return defineHook({
    name: 'todo-reminder',
    event: 'PostToolUse',
    run({ tool, todos, locale, callId }) {
      const open = todos.filter(({ status }) => status !== 'completed');
      if (tool === TODO_TOOL || open.length === 0) return {};
      const texts = TEXTS[locale];
      return { context: `${texts.reminder(callId)}\n${listed(open, texts)}` };
    },
  });
}

/**
 * Stop: keeps the run going while to-do items are not completed, or are marked completed without
 * evidence that ended well; the reason names them, in the run's language.
 */
export function unfinishedTodos(): Hook<'Stop'> {
  return defineHook({
    name: 'unfinished-todos',
    event: 'Stop',
    run({ todos, locale }) {
      const texts = TEXTS[locale];
      const open = todos.filter(({ status }) => status !== 'completed');
      const unverified = todos.filter((todo) => todo.status === 'completed' && !todo.verified);
      const parts = [
        ...(open.length > 0 ? [texts.unfinished, listed(open, texts)] : []),
        ...(unverified.length > 0 ? [texts.unverified, listed(unverified, texts)] : []),
      ];
      if (parts.length === 0) return { decision: 'allow' };
      return { decision: 'block', reason: [...parts, texts.advice].join('\n') };
    },
  });
}
