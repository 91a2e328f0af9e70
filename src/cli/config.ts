import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { DEFAULT_LIMITS } from '../../machines/agent/agent.types.ts';
import { AgentHubError, toErrorData } from '../../machines/vocabulary/errors.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import { DEFAULT_AGENT_LIMITS } from '../run/agent-options.ts';
import { checkConfig } from './config-problems.ts';
import type { ConfigFile } from './config-schema.ts';
import { sayError } from './error-texts.ts';
import { packageFolder } from './package-folder.ts';
import { readJsonFile } from './read-file.ts';
import { say } from './texts.ts';

/** The configuration file the command line looks for in its working folder. */
const CONFIG_FILE = 'agenthub.config.json';

/** Where runs are kept unless something else is said, in the working folder. */
const STORE_FILE = join('.agenthub', 'runs.db');

/** Where a value comes from. */
export type Source = 'default' | 'file' | 'environment' | 'flag';

export interface Setting {
  readonly value: unknown;
  readonly source: Source;
  /** The file's path, the variable's or the flag's name; empty for a default. */
  readonly from: string;
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

/** Values by dotted path; undefined where none was given. */
type Values = Readonly<Record<string, unknown>>;

/** A flag's value and how it is written. */
export type Flags = Readonly<Record<string, { readonly flag: string; readonly value: unknown }>>;

export interface LoadOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Flags;
  /** A file named on the command line: it must exist. */
  readonly file?: string | undefined;
}

/**
 * The effective settings: defaults, then the file, then the environment, then flags.
 * @throws AgentHubError `invalid_config` with a line for everything that is wrong, in that order:
 * where it was set, its path, and what is allowed.
 */
export function loadSettings({ cwd, env, flags, file }: LoadOptions): Settings {
  const locale = localeOf({ env, flags });
  const path = resolve(cwd, file ?? CONFIG_FILE);
  const problems: string[] = [];
  const settings = new Map<string, Setting>();
  const put = (values: Values, source: Source, from: (name: string) => string) => {
    for (const [name, value] of Object.entries(values))
      if (value !== undefined) settings.set(name, { value, source, from: from(name) });
  };
  const check = (json: unknown, from: (name: string) => string): ConfigFile => {
    const checked = checkConfig(json, locale);
    if (checked.ok) return checked.config;
    for (const { path: where, text } of checked.problems)
      problems.push([from(where), where, text].filter(Boolean).join(': '));
    return {};
  };

  put({ ...DEFAULTS, locale: languageOf(env) }, 'default', () => '');
  put({ 'files.allowed': [cwd], knowledge: defaultKnowledge(cwd) }, 'default', () => '');
  put({ store: resolve(cwd, STORE_FILE) }, 'default', () => '');
  if (file !== undefined || existsSync(path)) {
    const json = readJson(path, { problems, locale });
    if (json !== undefined)
      put(
        readConfig(
          check(json, () => path),
          path,
        ),
        'file',
        () => path,
      );
  }

  const named = Object.entries(ENVIRONMENT).filter(([variable]) => env[variable]);
  const variableOf = (name: string) => named.find(([, target]) => target === name)?.[0] ?? '';
  const variables = Object.fromEntries(named.map(([variable, name]) => [name, env[variable]]));
  put(flatten(check(nested(variables), variableOf)), 'environment', variableOf);

  const { extension, ...others } = flags;
  const fromEnvironment = env[EXTENSION_VARIABLE];
  if (fromEnvironment && !isAbsolute(fromEnvironment)) {
    const why = say(locale, 'extensionRelative', { file: fromEnvironment });
    problems.push(`${EXTENSION_VARIABLE}: ${why}`);
  } else if (fromEnvironment)
    put({ extension: fromEnvironment }, 'environment', () => EXTENSION_VARIABLE);
  if (typeof extension?.value === 'string')
    put({ extension: resolve(cwd, extension.value) }, 'flag', () => extension.flag);

  const given = Object.entries(others).filter(([, { value }]) => value !== undefined);
  const flagOf = (name: string) => flags[name]?.flag ?? '';
  const values = Object.fromEntries(given.map(([name, { value }]) => [name, value]));
  put(flatten(check(nested(values), flagOf)), 'flag', flagOf);

  // Nothing keeps a question for later where nothing is stored.
  const { approvalDeadline } = DEFAULT_AGENT_LIMITS;
  const isDefault = settings.get('limits.approvalDeadline')?.source === 'default';
  if (settings.get('store')?.value === false && isDefault)
    put({ 'limits.approvalDeadline': approvalDeadline }, 'default', () => '');
  for (const name of ['knowledge', 'files.allowed', 'files.private'])
    problems.push(...missingFolders(name, settings.get(name), { cwd, locale }));
  if (problems.length > 0) throw new AgentHubError('invalid_config', problems.join('\n'));
  return settings;
}

function readJson(
  path: string,
  { problems, locale }: { readonly problems: string[]; readonly locale: Locale },
): unknown {
  try {
    return readJsonFile(path);
  } catch (thrown) {
    problems.push(sayError(toErrorData(thrown, 'usage'), locale));
    return undefined;
  }
}

/** The values of a file; relative folders in it start from its own folder. */
function readConfig({ $schema: _, ...config }: ConfigFile, path: string): Values {
  const inFolder = (name: string) => resolve(dirname(path), name);
  const values: Record<string, unknown> = { ...flatten(config) };
  if (config.knowledge) values.knowledge = inFolder(config.knowledge);
  if (config.store) values.store = inFolder(config.store);
  for (const kind of ['allowed', 'private'] as const)
    if (config.files?.[kind]) values[`files.${kind}`] = config.files[kind].map(inFolder);
  return values;
}

const QUIETLY = { throwIfNoEntry: false } as const;

function missingFolders(
  name: string,
  setting: Setting | undefined,
  { cwd, locale }: { readonly cwd: string; readonly locale: Locale },
): string[] {
  return (
    [setting?.value ?? []]
      .flat()
      .map((folder) => resolve(cwd, String(folder)))
      // A private area may be a file; one that is not there is a typing error that leaves another open.
      .filter((folder) =>
        name === 'files.private' ? !existsSync(folder) : !statSync(folder, QUIETLY)?.isDirectory(),
      )
      .map((folder) =>
        [setting?.from, name, say(locale, 'noFolder', { folder })].filter(Boolean).join(': '),
      )
  );
}

/** Parts that are set as a whole, not member by member. */
const WHOLE = new Set(['permissions.policies', 'imageService']);

function flatten(config: object, prefix = ''): Values {
  return Object.fromEntries(
    Object.entries(config).flatMap(([key, value]): [string, unknown][] => {
      const name = prefix === '' ? key : `${prefix}.${key}`;
      const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
      return isGroup && !WHOLE.has(name) ? Object.entries(flatten(value, name)) : [[name, value]];
    }),
  );
}

function nested(values: Values): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const keys = name.split('.');
    const last = keys.pop() ?? name;
    const group = keys.reduce<Record<string, unknown>>((at, key) => {
      at[key] ??= {};
      return at[key] as Record<string, unknown>;
    }, config);
    group[last] = value;
  }
  return config;
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

/** The working folder's own knowledge, or the demo shop's that comes with the package. */
function defaultKnowledge(cwd: string): string {
  const own = resolve(cwd, 'knowledge');
  return existsSync(own) ? own : join(packageFolder(), 'knowledge');
}
