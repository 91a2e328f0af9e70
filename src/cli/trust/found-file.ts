import { DEFAULT_POLICIES } from '../../../machines/permission/policies.ts';
import type { Settings } from '../config.ts';
import type { ReadConfig } from '../config-file.ts';
import type { Values } from '../config-values.ts';
import type { Io } from '../io.ts';
import { type HeldBack, judge } from './judge.ts';
import { isWithin, placeOf } from './real-place.ts';
import { isTrustedFile } from './trusted-files.ts';

/** A configuration file that was there, and that nobody named. */
export interface FoundFile {
  readonly path: string;
  /** Where it lies, links followed: what trust is bound to, with its digest. */
  readonly place: string;
  readonly digest: string;
  readonly isTrusted: boolean;
  /** What of it takes effect: all of it if it is trusted. */
  readonly inForce: Values;
  /** All of it that needs a person's word, whether that was given or not. */
  readonly needsTrust: readonly HeldBack[];
}

/** Where the command runs, and what its settings are without the file. */
export interface JudgeFoundOptions extends Pick<Io, 'cwd' | 'env'> {
  /** What holds without the file. */
  readonly without: Settings;
}

/**
 * Judges a file that was found, from what was read of it.
 * @throws AgentHubError `usage` where the list of trusted files is damaged.
 */
export function judgeFound(
  { path, values, digest }: Omit<ReadConfig, 'problems'> & { readonly path: string },
  { cwd, env, without }: JudgeFoundOptions,
): FoundFile {
  const place = placeOf(path);
  const { free, held } = judge(values, {
    settings: Object.fromEntries([...without].map(([name, { value }]) => [name, value])),
    policies: DEFAULT_POLICIES,
    isInside: (inner) => isWithin(cwd, inner),
  });
  const isTrusted = held.length > 0 && isTrustedFile({ place, digest }, env);
  return {
    path,
    place,
    digest,
    isTrusted,
    inForce: isTrusted ? values : free,
    needsTrust: held,
  };
}
