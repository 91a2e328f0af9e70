import type { Facts } from '../../../machines/permission/evaluate.ts';
import type { Json } from '../../../machines/vocabulary/json.ts';
import type { Message } from '../../../machines/vocabulary/messages.ts';
import { parseArguments } from '../../../src/protocol/json-arguments.ts';
import { createTodoWrite } from '../../../src/tools/todo-write/todo-write.ts';
import type { ToolContext } from '../../../src/tools/tool.types.ts';
import { validateInput } from '../../../src/tools/validate-input.ts';
import type { CaseKind } from '../case-kind.ts';
import { evaluateGenerator, judgeBySides } from '../judged.ts';
import { type Row, readRows } from '../rows.ts';

interface TodoRow extends Row {
  readonly input?: Json;
  readonly raw_arguments?: string;
  readonly input_generator?: string;
  readonly previous?: Json;
  readonly expected: string;
}

export const todos: CaseKind = {
  async run(file) {
    return judgeBySides(await readRows<TodoRow>(file), async (row) => ({
      expected: row.expected,
      got: await judgeTodos(row),
    }));
  },
};

async function judgeTodos(row: TodoRow): Promise<string> {
  const tool = createTodoWrite();
  const given =
    row.raw_arguments === undefined
      ? {
          ok: true as const,
          value: row.input_generator ? evaluateGenerator(row.input_generator) : row.input,
        }
      : parseArguments(row.raw_arguments);
  if (!given.ok) return 'reject';
  const validated = validateInput(tool, given.value, 'zh');
  if (!validated.ok) return 'reject';
  const result = await tool.execute(validated.value, createContext(row.previous));
  const details = typeof result === 'string' ? {} : (result.details ?? {});
  const wasMended = row.raw_arguments !== undefined && !isPlainObjectText(row.raw_arguments);
  const warned = Array.isArray(details.warnings) && details.warnings.length > 0;
  return warned || wasMended ? 'accept_with_warning' : 'accept';
}

/** A history whose list is `previous`. */
export function createContext(previous: Json | undefined): ToolContext & { facts: Facts } {
  const call = {
    id: '1.0',
    providerId: null,
    tool: 'todo_write',
    input: { todos: previous ?? [] },
  };
  const messages: readonly Message[] = [
    { role: 'user', content: 'x', context: [] },
    { role: 'assistant', turn: 1, content: '', calls: [call] },
    {
      role: 'observation',
      callId: '1.0',
      providerId: null,
      tool: 'todo_write',
      outcome: 'ok',
      content: '',
      reasons: [],
      context: [],
    },
  ];
  return {
    signal: new AbortController().signal,
    callId: '2.0',
    attempt: 1,
    idempotencyKey: 'test',
    messages: previous === undefined ? messages.slice(0, 1) : messages,
    locale: 'zh',
    facts: {
      toolName: 'todo_write',
      touchesPrivate: false,
      outsideAllowedArea: false,
      serviceAllowed: true,
      outputExists: false,
      identity: null,
    },
  };
}

function isPlainObjectText(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
