import { withoutInvisible } from '../../../machines/vocabulary/printable.ts';
import type { TodoStatus } from '../../../machines/vocabulary/todos.ts';

/** The input of `todo_write`: the whole list. */
export interface TodoInput {
  readonly todos: readonly {
    readonly content: string;
    readonly status: TodoStatus;
    readonly evidence?: readonly string[] | undefined;
  }[];
}

/** Something about a new list that is accepted, but that the model should hear about. */
export interface TodoWarning {
  readonly code: 'dropped' | 'regressed' | 'skipped' | 'several_in_progress' | 'none_in_progress';
  /** The items concerned, as written. */
  readonly items: readonly string[];
}

interface Item {
  readonly content: string;
  readonly status: TodoStatus;
}

/** Items are the same when they look the same: compatibility forms, invisibles and spaces apart. */
export function todoKey(content: string): string {
  return withoutInvisible(content.normalize('NFKC')).replace(/\s+/gu, ' ').trim();
}

/** Compares a new list with the one before. Pure; order does not matter. */
export function findWarnings(
  previous: readonly Item[],
  next: readonly Item[],
): readonly TodoWarning[] {
  const before = new Map(previous.map(({ content, status }) => [todoKey(content), status]));
  const after = new Set(next.map(({ content }) => todoKey(content)));
  const wasAt = (item: Item, status: TodoStatus) => before.get(todoKey(item.content)) === status;
  const open = next.filter(({ status }) => status !== 'completed');
  const inProgress = next.filter(({ status }) => status === 'in_progress');
  const isUnderWay = next.length > open.length && open.length > 0;

  const found: readonly (readonly [TodoWarning['code'], readonly Item[]])[] = [
    [
      'dropped',
      previous.filter((item) => item.status !== 'completed' && !after.has(todoKey(item.content))),
    ],
    ['regressed', open.filter((item) => wasAt(item, 'completed'))],
    ['skipped', next.filter((item) => item.status === 'completed' && wasAt(item, 'pending'))],
    ['several_in_progress', inProgress.length > 1 ? inProgress : []],
    ['none_in_progress', isUnderWay && inProgress.length === 0 ? open : []],
  ];
  return found
    .filter(([, items]) => items.length > 0)
    .map(([code, items]) => ({ code, items: items.map(({ content }) => content) }));
}
