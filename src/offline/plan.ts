import { canonicalJson, type Json, type JsonObject } from '../../machines/vocabulary/json.ts';
import { callFor, TODO_TOOL, todoItem } from './tools.ts';
import type { PastCall, Transcript } from './transcript.types.ts';
import type { Wish } from './wishes.ts';

/** A wish with the call it takes, and what came of that call so far. */
export interface Task {
  readonly wish: Wish;
  /** Null when no call can help: the wish is answered in words. */
  readonly call: { readonly tool: string; readonly input: JsonObject } | null;
  readonly done: PastCall | null;
  /** The tool is not offered. */
  readonly isToolMissing: boolean;
}

/** What to do next. */
export type Move =
  | {
      readonly kind: 'call';
      readonly tool: string;
      readonly input: JsonObject;
      readonly task: Task | null;
    }
  | { readonly kind: 'answer'; readonly tasks: readonly Task[] };

/** Works out the next move from the wishes and what the history shows. Pure. */
export function nextMove(wishes: readonly Wish[], transcript: Transcript): Move {
  const tasks = toTasks(wishes, transcript);
  const working = tasks.filter((task) => task.call !== null);
  const next = working.find(({ done }) => done === null);
  const list = todoMove(working, next, transcript);
  if (list) return list;
  if (next?.call) return { kind: 'call', ...next.call, task: next };
  return { kind: 'answer', tasks };
}

function toTasks(wishes: readonly Wish[], { tools, calls }: Transcript): Task[] {
  const open = [...calls];
  return wishes.map((wish) => {
    const call = callFor(wish);
    if (call === null) return { wish, call, done: null, isToolMissing: false };
    if (!tools.includes(call.tool)) {
      return { wish, call: null, done: null, isToolMissing: true };
    }
    // Two wishes may take the same call: each call in the history serves one of them.
    const wanted = canonicalJson(call.input);
    const at = open.findIndex(
      ({ tool, input }) => tool === call.tool && canonicalJson(input) === wanted,
    );
    const done = at < 0 ? null : (open.splice(at, 1)[0] ?? null);
    return { wish, call, done, isToolMissing: false };
  });
}

/**
 * With several tasks the list comes first and is brought up to date after each. A task that was
 * refused or failed stays open on it; once a Stop hook has objected, what cannot be done is taken
 * out, and the answer tells of it.
 */
function todoMove(
  tasks: readonly Task[],
  next: Task | undefined,
  transcript: Transcript,
): Move | null {
  if (tasks.length < 2 || !transcript.tools.includes(TODO_TOOL)) return null;
  const writes = transcript.calls.filter(({ tool }) => tool === TODO_TOOL);
  if (writes.some(({ ending }) => ending !== 'ok')) return null;
  const names = distinctNames(tasks);
  const todos = tasks.flatMap((task, index): Json[] => {
    const content = names[index] ?? '';
    if (task.done?.ending === 'ok') {
      return [todoItem(content, { evidence: task.done.id })];
    }
    if (task.done !== null && transcript.isBlocked) return [];
    return [todoItem(content, { isNext: task === next })];
  });
  const input = { todos };
  const last = writes.at(-1);
  if (last && canonicalJson(last.input) === canonicalJson(input)) return null;
  return { kind: 'call', tool: TODO_TOOL, input, task: null };
}

const LONGEST_NAME = 200;

/** Names for the list: the person's words, one line, each once. */
function distinctNames(tasks: readonly Task[]): readonly string[] {
  const taken = new Set<string>();
  return tasks.map(({ wish }) => {
    const characters = [...wish.words.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')];
    const base = characters.slice(0, LONGEST_NAME).join('').trim() || wish.kind;
    let name = base;
    for (let copy = 2; taken.has(name.normalize('NFKC')); copy += 1) name = `${base} (${copy})`;
    taken.add(name.normalize('NFKC'));
    return name;
  });
}
