import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { AgentHubError, toErrorData } from '../../machines/vocabulary/errors.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import type { Agent, AgentOptions } from '../run/agent.types.ts';
import { openRuns } from '../run/runs.ts';
import type { Runs } from '../run/runs.types.ts';
import type { RunStore } from '../run/store/store.types.ts';
import { prepareAgent } from './build-agent.ts';
import { agreedSettings, settingsNow, settingsToLook } from './command-settings.ts';
import { type Setting, type Settings, unflatten } from './config.ts';
import type { DriveFlags } from './flags.ts';
import type { Io } from './io.ts';
import { say } from './texts.ts';
import { isKnownStore, rememberStore } from './trust/known-stores.ts';
import { likeImported } from './trust/like-imported.ts';

/** The file that runs are kept in, or null for none. */
function storeFile(settings: Settings, { cwd }: Pick<Io, 'cwd'>): string | null {
  const { store = false } = unflatten(settings);
  return store === false ? null : resolve(cwd, store);
}

/** A database that was opened, and whether this person made, named or trusted it. */
interface OpenedStore {
  readonly store: RunStore;
  readonly isOwn: boolean;
}

/** Opens a database for some work, and closes it whatever happens. Loaded only where it is needed. */
async function withFile<Result>(
  file: string,
  { settings, env }: { readonly settings: Settings; readonly env: Io['env'] },
  work: (opened: OpenedStore) => Promise<Result>,
): Promise<Result> {
  const { sqliteStore } = await import('../run/store/sqlite-store.ts');
  const isNew = !existsSync(file);
  const store = sqliteStore({ path: file });
  try {
    // What could not be recorded is asked about later; that must not lose the work of now.
    if (isNew) await rememberStore(file, { by: 'made', env }).catch(() => {});
    const isOwn = isNew || isNamed(settings.get('store')) || isKnownStore(file, env);
    return await work({ store: isOwn ? store : likeImported(store), isOwn });
  } finally {
    // All is written by now; what closing complains of must not hide how the work ended.
    await store.close().catch(() => {});
  }
}

/** Whether a person said where: a relative path in a variable says so of every folder. */
function isNamed(setting: Setting | undefined): boolean {
  if (setting?.source === 'flag') return true;
  return setting?.source === 'environment' && isAbsolute(String(setting.value));
}

/** An agent that says what is to be done where a run of a store that came along cannot go on. */
function withStoreWords(agent: Agent, { store, isOwn }: OpenedStore): Agent {
  if (isOwn) return agent;
  const restore: Agent['restore'] = async (runId) => {
    try {
      return await agent.restore(runId);
    } catch (thrown) {
      const { code, details } = toErrorData(thrown, 'error');
      if (code !== 'imported_calls') throw thrown;
      const { seq } = details as { readonly seq: number };
      const values = { run: runId, file: store.name, seq };
      const message = say('en', 'storeUntrusted', values);
      throw new AgentHubError('untrusted', message, { says: 'storeUntrusted', values });
    }
  };
  return { ...agent, restore };
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
  return withFile(file, { settings, env: io.env }, (opened) =>
    work(withStoreWords(make(opened.store), opened), opened.store),
  );
}

/** What a command about stored runs works with. */
export interface StoredRuns {
  /** Whether the store was made for this command. */
  readonly isNew: boolean;
  readonly settings: Settings;
  readonly locale: Locale;
  readonly store: RunStore;
  readonly runs: Runs;
  /** The configured agent over the store, made when it is asked for: to look at runs needs no key. */
  readonly makeAgent: () => Promise<Agent>;
}

/** How a command about stored runs was called. */
export interface WithRunsOptions {
  readonly flags: DriveFlags;
  readonly io: Io;
  /** Whether it writes: then a store that is not there yet is made. Default false. */
  readonly creates?: boolean;
  /** Whether it goes on with runs here: then what a folder brought is asked about. Default false. */
  readonly drives?: boolean;
}

/**
 * The configured store, for a command about stored runs.
 * @throws AgentHubError `usage` without a store, `no_runs` where there is none yet.
 */
export async function withRuns<Result>(
  { flags, io, creates = false, drives = false }: WithRunsOptions,
  work: (stored: StoredRuns) => Promise<Result>,
): Promise<Result> {
  const settings = drives ? await agreedSettings(flags, io) : settingsToLook(flags, io);
  const { locale = 'en' } = unflatten(settings);
  const file = storeFile(settings, io);
  if (file === null) throw new AgentHubError('usage', say(locale, 'noStore'));
  const isNew = !existsSync(file);
  if (!creates && isNew) throw new AgentHubError('no_runs', say(locale, 'noStoredRuns', { file }));
  return withFile(file, { settings, env: io.env }, (opened) => {
    const { store } = opened;
    const runs = openRuns(store, { now: io.clock.now });
    const makeAgent = async () => {
      const make = await prepareAgent(drives ? settings : settingsNow(flags, io), io);
      return withStoreWords(make(store), opened);
    };
    return work({ settings, locale, store, isNew, runs, makeAgent });
  });
}
