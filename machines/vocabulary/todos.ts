import type { Message, ObservationMessage } from './messages.ts';

export type TodoStatus = 'pending' | 'in_progress' | 'completed';

/** An item of the list the model keeps with `todo_write`. */
export interface TodoItem {
  readonly content: string;
  readonly status: TodoStatus;
  /** Ids of calls of this run that the model names as evidence. */
  readonly evidence: readonly string[];
  /** Whether a completed item names at least one call, and all it names ended `ok`. */
  readonly verified: boolean;
}

/** The tool whose successful calls are the list. */
export const TODO_TOOL = 'todo_write';

/**
 * The current to-do list, read from the history: the input of the last `todo_write` that
 * ended `ok`, as it was executed. A completed item is *claimed*; it is `verified` only by calls that ended `ok`,
 * other than `todo_write` itself.
 */
export function deriveTodos(messages: readonly Message[]): readonly TodoItem[] {
  const succeeded = new Set<string>();
  let lastWrite: ObservationMessage | null = null;
  for (const message of messages) {
    if (message.role !== 'observation' || message.outcome !== 'ok') continue;
    if (message.tool === TODO_TOOL) lastWrite = message;
    else succeeded.add(message.callId);
  }
  if (lastWrite === null) return [];
  if (lastWrite.input !== undefined) return readTodos(lastWrite.input, succeeded);
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    const call = message.calls.find(({ id }) => id === lastWrite.callId);
    if (call) return readTodos(call.input, succeeded);
  }
  return [];
}

function readTodos(input: unknown, succeeded: ReadonlySet<string>): readonly TodoItem[] {
  const todos = (input as { todos?: unknown } | null)?.todos;
  if (!Array.isArray(todos)) return [];
  return todos.filter(isTodo).map(({ content, status, evidence }) => {
    const named = Array.isArray(evidence) ? evidence.map(String) : [];
    const isProven = named.length > 0 && named.every((id) => succeeded.has(id));
    return { content, status, evidence: named, verified: status === 'completed' && isProven };
  });
}

const STATUSES: readonly unknown[] = ['pending', 'in_progress', 'completed'];

/** Histories come from hosts and stores, too: what is no item is left out. */
function isTodo(todo: unknown): todo is { content: string; status: TodoStatus; evidence: unknown } {
  const { content, status } = (todo ?? {}) as { content?: unknown; status?: unknown };
  return typeof content === 'string' && STATUSES.includes(status);
}
