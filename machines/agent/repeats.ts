import { canonicalJson } from '../vocabulary/json.ts';
import type { Call } from './agent.types.ts';
import { digest } from './digest.ts';

/**
 * How often equal calls gave equal results. The counts lie in small groups, so that counting one
 * call copies one group and not the whole run's.
 */
export interface Repeats {
  /** The highest count. */
  readonly most: number;
  readonly groups: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export const NO_REPEATS: Repeats = { most: 0, groups: {} };

/** Counts a settled call: the same tool, arguments, outcome and result are the same call. */
export function countRepeat({ most, groups }: Repeats, call: Call): Repeats {
  const { tool, requestedInput, result } = call;
  const { outcome, content } = result ?? {};
  const key = digest(canonicalJson({ tool, input: requestedInput, outcome, content }));
  const group = key.slice(-1);
  const count = (groups[group]?.[key] ?? 0) + 1;
  return {
    most: Math.max(most, count),
    groups: { ...groups, [group]: { ...groups[group], [key]: count } },
  };
}
