import type { Call } from '../../../machines/agent/agent.types.ts';

/** One answer for one call: a name for people, and the answer, or null where it is left out. */
export type Choice<Answer> = readonly [name: string, answer: Answer | null];

/** Every way to choose one answer per call. */
export function combinations<Answer>(
  calls: readonly Call[],
  choices: (call: Call) => readonly Choice<Answer>[],
): (readonly [name: string, answers: readonly (readonly [string, Answer])[]])[] {
  const rows = calls.reduce<(readonly [string, Choice<Answer>])[][]>(
    (before, call) =>
      before.flatMap((row) => choices(call).map((choice) => [...row, [call.id, choice] as const])),
    [[]],
  );
  return rows.map((row) => {
    const name = row.map(([id, [word]]) => `${id}: ${word}`).join(', ');
    return [name, row.flatMap(([id, [, answer]]) => (answer === null ? [] : [[id, answer]]))];
  });
}

/** Every combination of a size, order left out: calls of one reply are symmetric. */
export function multisets<Item>(items: readonly Item[], size: number): Item[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, index) =>
    multisets(items.slice(index), size - 1).map((rest) => [item, ...rest]),
  );
}
