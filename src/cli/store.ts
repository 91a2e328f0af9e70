import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import type { Agent, AgentOptions } from '../run/agent.types.ts';
import { openRuns } from '../run/runs.ts';
import type { Runs } from '../run/runs.types.ts';
import type { RunStore } from '../run/store/store.types.ts';
import { prepareAgent } from './build-agent.ts';
import { loadSettings, type Settings, unflatten } from './config.ts';
import { type CommonFlags, settingsFlags } from './flags.ts';
import type { Io } from './io.ts';
import { say } from './texts.ts';

/** The file that runs are kept in, or null for none. */
function storeFile(settings: Settings, { cwd }: Pick<Io, 'cwd'>): string | null {
  const { store = false } = unflatten(settings);
  return store === false ? null : resolve(cwd, store);
}

/** Opens a database for some work, and closes it whatever happens. Loaded only where it is needed. */
async function withFile<Result>(
  file: string,
  work: (store: RunStore) => Promise<Result>,
): Promise<Result> {
  const { sqliteStore } = await import('../run/store/sqlite-store.ts');
  const store = sqliteStore({ path: file });
  try {
    return await work(store);
  } finally {
    // All is written by now; what closing complains of must not hide how the work ended.
    await store.close().catch(() => {});
  }
}

/** What an agent is made of. */
export interface WithAgentOptions extends Pick<AgentOptions, 'inspect'> {
  readonly settings: Settings;
  readonly io: Pick<Io, 'env' | 'cwd'>;
}

/** The configured agent with its store. What is wrong in a configuration is told before that is opened. */
export async function withAgent<Result>(
  { settings, io, ...more }: WithAgentOptions,
  work: (agent: Agent, store: RunStore | null) => Promise<Result>,
): Promise<Result> {
  const make = await prepareAgent(settings, io, more);
  const file = storeFile(settings, io);
  if (file === null) return work(make(null), null);
  return withFile(file, (store) => work(make(store), store));
}

/** What a command about stored runs works with. */
export interface StoredRuns {
  /** Whether the store was made for this command. */
  readonly isNew: boolean;
  readonly settings: Settings;
  readonly locale: Locale;
  readonly store: RunStore;
  readonly runs: Runs;
}

/** How a command about stored runs was called. */
export interface WithRunsOptions {
  readonly flags: CommonFlags;
  readonly io: Io;
  /** Whether it writes: then a store that is not there yet is made. Default false. */
  readonly creates?: boolean;
}

/**
 * The configured store, for a command about stored runs.
 * @throws AgentHubError `usage` without a store, `no_runs` where there is none yet.
 */
export async function withRuns<Result>(
  { flags, io, creates = false }: WithRunsOptions,
  work: (stored: StoredRuns) => Promise<Result>,
): Promise<Result> {
  const settings = loadSettings({ ...io, flags: settingsFlags(flags), file: flags.config });
  const { locale = 'en' } = unflatten(settings);
  const file = storeFile(settings, io);
  if (file === null) throw new AgentHubError('usage', say(locale, 'noStore'));
  const isNew = !existsSync(file);
  if (!creates && isNew) throw new AgentHubError('no_runs', say(locale, 'noStoredRuns', { file }));
  return withFile(file, (store) =>
    work({ settings, locale, store, isNew, runs: openRuns(store, { now: io.clock.now }) }),
  );
}
