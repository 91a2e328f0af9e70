import { APPROVALS, type Approval } from '../../machines/permission/reasons.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import type { Flags } from './config.ts';
import { usageError } from './usage-error.ts';

/** Flags that every command with an agent takes. */
export interface CommonFlags {
  readonly config?: string;
  /** Leaves a configuration file alone that is merely there. */
  readonly ignoreConfig?: boolean;
  readonly extension?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly protocol?: string;
  readonly locale?: string;
  readonly knowledge?: string;
  /** False for `--no-store`. */
  readonly store?: string | false;
}

/** Flags as settings by dotted path. */
export function settingsFlags(flags: CommonFlags): Flags {
  const { provider, model, baseUrl, protocol, locale, knowledge, store, extension } = flags;
  return {
    extension: { flag: '--extension', value: extension },
    'model.provider': { flag: '--provider', value: provider },
    'model.name': { flag: '--model', value: model },
    'model.baseURL': { flag: '--base-url', value: baseUrl },
    protocol: { flag: '--protocol', value: protocol },
    locale: { flag: '--locale', value: locale },
    knowledge: { flag: '--knowledge', value: knowledge },
    store: { flag: store === false ? '--no-store' : '--store', value: store },
  };
}

/** Flags of every command that drives a run. */
export interface DriveFlags extends CommonFlags {
  readonly grant?: string;
  readonly onAsk?: string;
  readonly inspect?: boolean;
  readonly stately?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
  readonly jsonStream?: boolean;
}

/** Flags of a command that only looks things up. */
export interface LookFlags extends CommonFlags {
  readonly json?: boolean;
}

/** What a person may approve without having seen the call. Running again after a crash is not. */
const GRANTABLE: readonly Approval[] = APPROVALS.filter((approval) => approval !== 'repeat');

/**
 * Approvals by commas.
 * @throws AgentHubError `usage` for a word that is none of `known`, and for no word at all.
 */
export function parseGrants(
  text: string | undefined,
  known: readonly Approval[] = GRANTABLE,
): readonly Approval[] {
  if (text === undefined) return [];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !known.includes(name as Approval));
  if (unknown !== undefined)
    throw usageError('notGrantable', { word: unknown, allowed: known.join(', ') });
  return [...new Set(names)] as Approval[];
}

/** What `--on-ask` says, or null. */
export function parseOnAsk(onAsk: string | undefined): 'deny' | 'wait' | null {
  return onAsk === undefined
    ? null
    : parseWord<'deny' | 'wait'>('--on-ask', onAsk, ['deny', 'wait']);
}

/** What `--locale` says, for a command that reads no configuration. */
export function parseLocale(locale: string): Locale {
  return parseWord('--locale', locale, ['zh', 'en']);
}

/** One of the words that a flag takes. @throws AgentHubError `usage` naming them. */
export function parseWord<Word extends string>(
  flag: string,
  word: string,
  allowed: readonly Word[],
): Word {
  const found = allowed.find((one) => one === word);
  if (found !== undefined) return found;
  throw usageError('unknownWord', { flag, word, allowed: allowed.join(', ') });
}

/** A whole number that is at least `least`. */
export function parseCount(flag: string, text: string, least: number): number {
  const count = /^\d{1,15}$/u.test(text.trim()) ? Number(text) : Number.NaN;
  if (count >= least) return count;
  throw usageError('notCount', { flag, text, least });
}

/** A port to listen on; 0, any free one, where none is named. */
export function parsePort(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = /^\d{1,5}$/u.test(text.trim()) ? Number(text) : Number.NaN;
  if (port >= 1 && port <= 65_535) return port;
  throw usageError('notPort', { text });
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A duration such as `30s`, `10m`, `2h` or `1d`, in milliseconds. */
export function parseDuration(flag: string, text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/u.exec(text.trim()) ?? [];
  const ms = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
  if (ms > 0) return ms;
  throw usageError('notDuration', { flag, text });
}
