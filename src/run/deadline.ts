import { setTimeout as sleep } from 'node:timers/promises';
import { LONGEST_TIMER } from '../../machines/vocabulary/time.ts';

/** Resolves with the time once `at` has passed; for null never. Rejects when aborted. */
export async function deadlinePassed(
  at: number | null,
  { signal, now }: { readonly signal: AbortSignal; readonly now: () => number },
): Promise<number> {
  if (at === null) return new Promise(() => {});
  for (let left = at - now(); left > 0; left = at - now()) {
    await sleep(Math.min(left, LONGEST_TIMER), undefined, { signal });
  }
  return now();
}
