import { z } from 'zod';
import { isMisleading } from '../../../machines/vocabulary/printable.ts';
import {
  deriveTodos,
  isVerified,
  succeededCalls,
  TODO_TOOL,
} from '../../../machines/vocabulary/todos.ts';
import { defineTool } from '../define-tool.ts';
import type { Tool } from '../tool.types.ts';
import { findWarnings, type TodoInput, todoKey } from './changes.ts';
import { describeList } from './texts.ts';

/** The most items a list may have, and the most code points an item may have. */
const MAX_TODOS = 50;
const MAX_TODO_LENGTH = 500;
const MAX_EVIDENCE = 20;

const content = z
  .string()
  .refine((text) => todoKey(text) !== '', {
    params: { zh: '内容不能为空或只有看不见的字符', en: 'it must not be empty or invisible' },
  })
  .refine((text) => [...text].length <= MAX_TODO_LENGTH, {
    params: {
      zh: `内容最多 ${MAX_TODO_LENGTH} 个字符`,
      en: `it has at most ${MAX_TODO_LENGTH} characters`,
    },
  })
  // Line breaks and controls forge items when the list is printed; direction controls reorder it.
  .refine((text) => !isMisleading(text), {
    params: {
      zh: '内容只能有一行，不能含换行、控制字符或改变方向的字符',
      en: 'it is one line, without line breaks, control or direction characters',
    },
  })
  .meta({
    minLength: 1,
    maxLength: MAX_TODO_LENGTH,
    description: 'What is to be done, in one line',
    zh: '要做的事，一行',
  });

const evidence = z
  .array(z.string().regex(/^[\w.:-]{1,64}$/u))
  .max(MAX_EVIDENCE)
  .optional()
  .meta({
    description: 'Ids of calls of this run whose results show that the item is done, such as "2.0"',
    zh: '本次运行中能证明该项已完成的调用编号，例如 "2.0"',
  });

const todo = z.strictObject({
  content,
  status: z.enum(['pending', 'in_progress', 'completed']),
  evidence,
});

const input = z.strictObject({
  todos: z
    .array(todo)
    .max(MAX_TODOS)
    .refine((todos) => findDuplicate(todos) === null, {
      params: { zh: '有重复的项，每一项只写一次', en: 'an item is there twice; list each once' },
    })
    .meta({ description: 'The whole list, every time', zh: '每次都给出完整的清单' }),
});

/**
 * Keeps the run's to-do list: always the whole list. It stores nothing; the list is derived from
 * the history. What looks like a slip is accepted with a warning to the model, and a tick without
 * a successful call as evidence is a claim, shown as unverified.
 */
export function createTodoWrite(): Tool<TodoInput> {
  return defineTool<TodoInput>({
    name: TODO_TOOL,
    description: {
      zh: '写下或更新待办清单。每次都提交完整的清单，例如 {"todos":[{"content":"查退货政策","status":"in_progress"},{"content":"缩放图片","status":"pending"}]}。status 只能是 pending、in_progress、completed；同一时间只有一项 in_progress。完成的项用 evidence 写上证明它的调用编号，否则显示为未核实。一次回复只能调用一次。',
      en: 'Writes or updates the to-do list. Always send the whole list, such as {"todos":[{"content":"Look up the return policy","status":"in_progress"},{"content":"Scale the image","status":"pending"}]}. status is pending, in_progress or completed; one item is in_progress at a time. Name the calls that show an item is done in its evidence, or it is shown as unverified. Call it once per reply.',
    },
    input,
    safeToRepeat: true,
    oncePerReply: true,
    async execute({ todos }, { messages, locale }) {
      const warnings = findWarnings(deriveTodos(messages), todos);
      const succeeded = succeededCalls(messages);
      const items = todos.map((item) => ({ ...item, verified: isVerified(item, succeeded) }));
      return {
        content: describeList(items, warnings, { locale, succeeded }),
        details: {
          total: items.length,
          completed: items.filter(({ status }) => status === 'completed').length,
          verified: items.filter(({ verified }) => verified).length,
          warnings: warnings.map(({ code, items: named }) => ({ code, items: [...named] })),
        },
      };
    },
  });
}

function findDuplicate(todos: TodoInput['todos']): string | null {
  const seen = new Set<string>();
  for (const { content: text } of todos) {
    const key = todoKey(text);
    if (seen.has(key)) return text;
    seen.add(key);
  }
  return null;
}
