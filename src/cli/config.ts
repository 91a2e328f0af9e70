import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { DEFAULT_LIMITS } from '../../machines/agent/agent.types.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import { DEFAULT_AGENT_LIMITS } from '../run/agent-options.ts';
import { readConfigFile } from './config-file.ts';
import { defaultKnowledge, leadingOut, missingFolders } from './config-places.ts';
import { checkConfig, problemLines } from './config-problems.ts';
import type { ConfigFile } from './config-schema.ts';
import { flatten, nested, type Values } from './config-values.ts';
import { say } from './texts.ts';
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

/** Environment variables that set a value. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  AGENTHUB_PROVIDER: 'model.provider',
  AGENTHUB_MODEL: 'model.name',
  AGENTHUB_BASE_URL: 'model.baseURL',
  AGENTHUB_PROTOCOL: 'protocol',
  AGENTHUB_LOCALE: 'locale',
  AGENTHUB_KNOWLEDGE: 'knowledge',
  AGENTHUB_STORE: 'store',
};

/**
 * Names an extension, which is code. A configuration file cannot: to go into a folder and run
 * `agenthub` must not run that folder's code, so a relative path in the environment is none either.
 */
const EXTENSION_VARIABLE = 'AGENTHUB_EXTENSION';

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

/** What takes effect of a file. */
interface FilePart {
  readonly path: string;
  readonly values: Values;
  readonly problems: readonly string[];
  readonly isTrusted: boolean;
  /** Whether the file says something of a setting that needs a person's word first. */
  readonly isHeldBack?: (setting: string) => boolean;
}

function compose({ cwd, env, flags }: LoadOptions, file: FilePart | null): Settings {
  const locale = localeOf({ env, flags });
  const problems = [...(file?.problems ?? [])];
  const settings = new Map(defaultSettings({ cwd, env, flags }));
  const put = (values: Values, whence: (name: string) => Omit<Setting, 'value'>) => {
    for (const [name, value] of Object.entries(values))
      if (value !== undefined) settings.set(name, { value, ...whence(name) });
  };
  const checked = (values: Values, from: (name: string) => string): Values => {
    const result = checkConfig(nested(values), locale);
    if (result.ok) return flatten(result.config);
    problems.push(...problemLines(result.problems, from));
    return {};
  };
  if (file !== null) {
    const whence = { source: 'file', from: file.path } as const;
    put(file.values, () => (file.isTrusted ? { ...whence, isTrusted: true } : whence));
  }

  const named = Object.entries(ENVIRONMENT).filter(([variable]) => env[variable]);
  const variableOf = (name: string) => named.find(([, target]) => target === name)?.[0] ?? '';
  const variables = Object.fromEntries(named.map(([variable, name]) => [name, env[variable]]));
  const ofVariable = (from: string) => ({ source: 'environment', from }) as const;
  put(checked(variables, variableOf), (name) => ofVariable(variableOf(name)));

  const { extension, ...others } = flags;
  const fromEnvironment = env[EXTENSION_VARIABLE];
  if (fromEnvironment && !isAbsolute(fromEnvironment)) {
    const why = say(locale, 'extensionRelative', { file: fromEnvironment });
    problems.push(`${EXTENSION_VARIABLE}: ${why}`);
  } else if (fromEnvironment)
    put({ extension: fromEnvironment }, () => ofVariable(EXTENSION_VARIABLE));
  if (typeof extension?.value === 'string')
    put({ extension: resolve(cwd, extension.value) }, () => ({
      source: 'flag',
      from: extension.flag,
    }));

  const given = Object.entries(others).filter(([, { value }]) => value !== undefined);
  const flagOf = (name: string) => flags[name]?.flag ?? '';
  const values = Object.fromEntries(given.map(([name, { value }]) => [name, value]));
  put(checked(values, flagOf), (name) => ({ source: 'flag', from: flagOf(name) }));

  const isDefault = settings.get('limits.approvalDeadline')?.source === 'default';
  if (settings.get('store')?.value === false && isDefault) put(NOT_STORED, () => DEFAULT);
  for (const name of ['knowledge', 'files.allowed', 'files.private'])
    problems.push(...missingFolders(name, settings.get(name), { cwd, locale }));
  for (const name of ['knowledge', 'store'])
    if (!file?.isHeldBack?.(name)) problems.push(...leadingOut(name, settings, { cwd, locale }));
  if (problems.length > 0) throw new AgentHubError('invalid_config', problems.join('\n'));
  return settings;
}

const DEFAULT = { source: 'default', from: '' } as const;

/** Nothing keeps a question for later where nothing is stored. */
const NOT_STORED: Values = {
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
