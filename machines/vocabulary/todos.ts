import type { Message, ObservationMessage } from './messages.ts';

/** How far an item is. */
export type TodoStatus = 'pending' | 'in_progress' | 'completed';

/** An item of the list the model keeps with `todo_write`. */
export interface TodoItem {
  readonly content: string;
  readonly status: TodoStatus;
  /** Ids of calls of this run that the model names as evidence. */
  readonly evidence: readonly string[];
  /** See {@link isVerified}. */
  readonly verified: boolean;
}

/** The tool whose successful calls are the list. */
export const TODO_TOOL = 'todo_write';

/**
 * The current to-do list, read from the history: the input of the last `todo_write` that
 * ended `ok`, as it was executed. A completed item is *claimed*; it is `verified` only by calls that
 * ended `ok`, other than `todo_write` itself.
 */
export function deriveTodos(messages: readonly Message[]): readonly TodoItem[] {
  const lastWrite = messages
    .filter(
      (message): message is ObservationMessage =>
        message.role === 'observation' && message.outcome === 'ok' && message.tool === TODO_TOOL,
    )
    .at(-1);
  if (lastWrite === undefined) return [];
  const succeeded = succeededCalls(messages);
  if (lastWrite.input !== undefined) return readTodos(lastWrite.input, succeeded);
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    const call = message.calls.find(({ id }) => id === lastWrite.callId);
    if (call) return readTodos(call.input, succeeded);
  }
  return [];
}

/** The calls that ended `ok`, `todo_write` left out: their tools by call id, in order. */
export function succeededCalls(messages: readonly Message[]): ReadonlyMap<string, string> {
  return new Map(
    messages.flatMap((message) =>
      message.role === 'observation' && message.outcome === 'ok' && message.tool !== TODO_TOOL
        ? [[message.callId, message.tool] as const]
        : [],
    ),
  );
}

/** Whether an item is completed and names calls as evidence that all ended `ok`. */
export function isVerified(
  { status, evidence = [] }: Claim,
  succeeded: ReadonlyMap<string, string>,
): boolean {
  return status === 'completed' && evidence.length > 0 && evidence.every((id) => succeeded.has(id));
}

/** What an item says of itself. */
interface Claim {
  readonly status: TodoStatus;
  readonly evidence?: readonly string[] | undefined;
}

function readTodos(input: unknown, succeeded: ReadonlyMap<string, string>): readonly TodoItem[] {
  const todos = (input as { todos?: unknown } | null)?.todos;
  if (!Array.isArray(todos)) return [];
  return todos.filter(isTodo).map(({ content, status, evidence: named }) => {
    const evidence = Array.isArray(named) ? named.map(String) : [];
    return { content, status, evidence, verified: isVerified({ status, evidence }, succeeded) };
  });
}

const STATUSES: readonly unknown[] = ['pending', 'in_progress', 'completed'];

/** Histories come from hosts and stores, too: what is no item is left out. */
function isTodo(todo: unknown): todo is { content: string; status: TodoStatus; evidence: unknown } {
  const { content, status } = (todo ?? {}) as { content?: unknown; status?: unknown };
  return typeof content === 'string' && STATUSES.includes(status);
}
