import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DEFAULT_LIMITS } from '../../machines/agent/agent.types.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import { DEFAULT_AGENT_LIMITS } from '../run/agent-options.ts';
import { readConfigFile } from './config-file.ts';
import {
  environmentLayer,
  extensionLayer,
  type FilePart,
  fileLayer,
  flagLayer,
} from './config-layers.ts';
import { defaultKnowledge, leadingOut, missingFolders } from './config-places.ts';
import type { ConfigFile } from './config-schema.ts';
import { nested } from './config-values.ts';
import { type FoundFile, judgeFound } from './trust/found-file.ts';

/** The configuration file the command line looks for in its working folder. */
export const CONFIG_FILE = 'agenthub.config.json';

/** Where runs are kept unless something else is said, in the working folder. */
export const STORE_FILE = join('.agenthub', 'runs.db');

/** Where a value comes from. */
export type Source = 'default' | 'file' | 'environment' | 'flag';

export interface Setting {
  readonly value: unknown;
  readonly source: Source;
  /** The file's path, the variable's or the flag's name; empty for a default. */
  readonly from: string;
  /** Whether a person named or trusted the file; left out for one that was only found. */
  readonly isTrusted?: true;
}

/** Values by dotted path, such as `model.name`. */
export type Settings = ReadonlyMap<string, Setting>;

/** Values that are the same everywhere; the others depend on where the command runs. */
export const DEFAULTS: Readonly<Record<string, unknown>> = {
  'model.provider': 'offline',
  'model.timeout': 300_000,
  'model.maxRetries': 2,
  'model.stream': true,
  protocol: 'native-calls',
  instructions: '',
  'files.private': [],
  allowedServices: [],
  'permissions.policies': {},
  'hooks.todoReminder': true,
  'hooks.unfinishedTodos': true,
  ...Object.fromEntries(
    Object.entries(DEFAULT_LIMITS).map(([name, value]) => [`limits.${name}`, value]),
  ),
};

/** A flag's value and how it is written. */
export type Flags = Readonly<Record<string, { readonly flag: string; readonly value: unknown }>>;

export interface LoadOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Flags;
  /** A file named on the command line: it must exist. */
  readonly file?: string | undefined;
  /** Whether a file that is merely there is left alone. Default false. */
  readonly ignoresFound?: boolean | undefined;
}

/** The settings in effect, and the file that was found rather than named, or null. */
export interface Configuration {
  readonly settings: Settings;
  readonly found: FoundConfig | null;
}

/** A configuration file that was found, and the settings that trusting it would give. */
export interface FoundConfig extends FoundFile {
  /** What would be in effect if the file, as it was read, were trusted. @throws as for any file. */
  readonly trustedSettings: () => Settings;
}

/** The settings of {@link loadConfiguration}. */
export function loadSettings(options: LoadOptions): Settings {
  return loadConfiguration(options).settings;
}

/**
 * The effective settings: defaults, then the file, then the environment, then flags. Of a file that
 * was only found, what loosens is held back until a person trusts it.
 * @throws AgentHubError `invalid_config` with a line for everything that is wrong, in that order:
 * where it was set, its path, and what is allowed.
 */
export function loadConfiguration(options: LoadOptions): Configuration {
  const { cwd, env, flags, file, ignoresFound = false } = options;
  const locale = localeOf({ env, flags });
  const path = resolve(cwd, file ?? CONFIG_FILE);
  const isThere = file !== undefined || (!ignoresFound && existsSync(path));
  if (!isThere) return { settings: compose(options, null), found: null };
  const { values, digest, problems } = readConfigFile(path, locale);
  // A file that was named is the person's own word.
  if (file !== undefined)
    return { settings: compose(options, { path, values, problems, isTrusted: true }), found: null };
  const without = defaultSettings(options);
  const found = judgeFound({ path, values, digest }, { cwd, env, without });
  const { isTrusted, inForce, needsTrust } = found;
  const isHeldBack = (setting: string) =>
    !isTrusted && needsTrust.some(({ name }) => name === setting);
  return {
    settings: compose(options, { path, values: inForce, problems, isTrusted, isHeldBack }),
    found: {
      ...found,
      trustedSettings: () => compose(options, { path, values, problems, isTrusted: true }),
    },
  };
}

function compose({ cwd, env, flags }: LoadOptions, file: FilePart | null): Settings {
  const locale = localeOf({ env, flags });
  const layers = [
    fileLayer(file),
    environmentLayer(env, locale),
    extensionLayer({ cwd, env, flags }, locale),
    flagLayer(flags, locale),
  ];
  const given = layers.flatMap((layer) => layer.settings);
  const settings = withDeadline(new Map([...defaultSettings({ cwd, env, flags }), ...given]));
  const problems = layers.flatMap((layer) => layer.problems);
  for (const name of ['knowledge', 'files.allowed', 'files.private'])
    problems.push(...missingFolders(name, settings.get(name), { cwd, locale }));
  for (const name of ['knowledge', 'store'])
    if (!file?.isHeldBack?.(name)) problems.push(...leadingOut(name, settings, { cwd, locale }));
  if (problems.length > 0) throw new AgentHubError('invalid_config', problems.join('\n'));
  return settings;
}

/** Nothing keeps a question for later where nothing is stored. */
function withDeadline(settings: Settings): Settings {
  const name = 'limits.approvalDeadline';
  const isDefault = settings.get(name)?.source === 'default';
  if (settings.get('store')?.value !== false || !isDefault) return settings;
  return new Map([...settings, [name, { value: NOT_STORED[name], ...DEFAULT }]]);
}

const DEFAULT = { source: 'default', from: '' } as const;

/** Nothing keeps a question for later where nothing is stored. */
const NOT_STORED = {
  'limits.approvalDeadline': DEFAULT_AGENT_LIMITS.approvalDeadline,
};

/** What holds where nothing is said, but for the flag that stores nothing. */
function defaultSettings({
  cwd,
  env,
  flags,
}: Pick<LoadOptions, 'cwd' | 'env' | 'flags'>): Settings {
  const values = {
    ...DEFAULTS,
    ...(flags.store?.value === false && NOT_STORED),
    locale: languageOf(env),
    'files.allowed': [cwd],
    knowledge: defaultKnowledge(cwd),
    store: resolve(cwd, STORE_FILE),
  };
  return new Map(Object.entries(values).map(([name, value]) => [name, { value, ...DEFAULT }]));
}

/** The settings as one configuration object. */
export function unflatten(settings: Settings): ConfigFile {
  return nested(
    Object.fromEntries([...settings].map(([name, { value }]) => [name, value])),
  ) as ConfigFile;
}

/** The language to speak while the configuration is not known yet. */
export function localeOf({ env, flags }: Pick<LoadOptions, 'env' | 'flags'>): Locale {
  const named = [flags.locale?.value, env.AGENTHUB_LOCALE].find(
    (value): value is Locale => value === 'zh' || value === 'en',
  );
  return named ?? languageOf(env);
}

/** The language of the environment: Chinese where it says so, English otherwise. */
function languageOf(env: LoadOptions['env']): Locale {
  const language = env.LC_ALL || env.LC_MESSAGES || env.LANG || '';
  return /^zh/iu.test(language) ? 'zh' : 'en';
}
