import type { Json } from '../../../machines/vocabulary/json.ts';
import type { Difference } from '../api.types.ts';

/** More than a person reads; the rest is not listed. */
const MOST = 200;

/** What differs between two values, by path, in the order of the keys. */
export function differencesOf(before: unknown, after: unknown): readonly Difference[] {
  const found: Difference[] = [];
  collect({ before, after, path: '' }, found);
  return found;
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: string;
}

function collect({ before, after, path }: Pair, found: Difference[]): void {
  if (before === after || found.length >= MOST) return;
  if (
    !isContainer(before) ||
    !isContainer(after) ||
    Array.isArray(before) !== Array.isArray(after)
  ) {
    if (JSON.stringify(before) !== JSON.stringify(after))
      found.push({ path, before: (before ?? null) as Json, after: (after ?? null) as Json });
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
    collect(
      { before: before[key], after: after[key], path: path === '' ? key : `${path}.${key}` },
      found,
    );
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
