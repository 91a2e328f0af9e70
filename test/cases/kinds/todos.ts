import type { Json } from '../../../machines/vocabulary/json.ts';
import type { Message } from '../../../machines/vocabulary/messages.ts';
import { parseArguments } from '../../../src/protocol/json-arguments.ts';
import { createTodoWrite } from '../../../src/tools/todo-write/todo-write.ts';
import { validateInput } from '../../../src/tools/validate-input.ts';
import { callMessages, runTool } from '../../tools/tool-context.ts';
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
  const validated = await validateInput(tool, given.value, 'zh');
  if (!validated.ok) return 'reject';
  const messages = historyOf(row.previous);
  const { details = {} } = await runTool(tool, validated.value, { messages });
  const wasMended = row.raw_arguments !== undefined && !isPlainObjectText(row.raw_arguments);
  const warned = Array.isArray(details.warnings) && details.warnings.length > 0;
  return warned || wasMended ? 'accept_with_warning' : 'accept';
}

/** A history whose list is `previous`. */
function historyOf(previous: Json | undefined): readonly Message[] {
  if (previous === undefined) return [];
  const input = { todos: previous };
  return callMessages('1.0', { tool: 'todo_write', input, outcome: 'ok' });
}

function isPlainObjectText(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
