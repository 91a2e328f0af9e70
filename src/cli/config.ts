import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { limitsSchema, policiesSchema } from '../run/options.ts';

/** The configuration file the command line looks for in its working folder. */
export const CONFIG_FILE = 'agenthub.config.json';

const url = z.url({ protocol: /^https?$/u });
const milliseconds = z.number().int().positive();

/** What `agenthub.config.json` may hold. Published as `agenthub.schema.json`. */
export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  model: z
    .strictObject({
      provider: z.enum(['offline', 'glm', 'deepseek', 'ollama', 'openai']).optional(),
      name: z.string().min(1).optional(),
      baseURL: url.optional(),
      timeout: milliseconds.optional(),
      maxRetries: z.number().int().min(0).max(20).optional(),
      stream: z.boolean().optional(),
    })
    .optional(),
  protocol: z.enum(['native-calls', 'react-text']).optional(),
  locale: z.enum(['zh', 'en']).optional(),
  instructions: z.string().optional(),
  knowledge: z.string().min(1).optional(),
  files: z
    .strictObject({
      allowed: z.array(z.string().min(1)).optional(),
      private: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  imageService: z.strictObject({ url, timeout: milliseconds.optional() }).optional(),
  allowedServices: z.array(url).optional(),
  permissions: z.strictObject({ policies: policiesSchema.optional() }).optional(),
  limits: limitsSchema.optional(),
  hooks: z
    .strictObject({ todoReminder: z.boolean().optional(), unfinishedTodos: z.boolean().optional() })
    .optional(),
});

export type ConfigFile = z.infer<typeof configSchema>;

/** Where a value comes from. */
export type Source = 'default' | 'file' | 'environment' | 'flag';

/** Values by dotted path, such as `model.name`, each with its source. */
export type Settings = ReadonlyMap<
  string,
  { readonly value: unknown; readonly source: Source; readonly from: string }
>;

/** Environment variables that set a value. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  AGENTHUB_PROVIDER: 'model.provider',
  AGENTHUB_MODEL: 'model.name',
  AGENTHUB_BASE_URL: 'model.baseURL',
  AGENTHUB_PROTOCOL: 'protocol',
  AGENTHUB_LOCALE: 'locale',
  AGENTHUB_KNOWLEDGE: 'knowledge',
};

/** Environment variables that may hold the API key, the first that is set counts. */
export const KEY_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  glm: ['AGENTHUB_API_KEY', 'ZHIPUAI_API_KEY', 'BIGMODEL_API_KEY'],
  deepseek: ['AGENTHUB_API_KEY', 'DEEPSEEK_API_KEY'],
  openai: ['AGENTHUB_API_KEY', 'OPENAI_API_KEY'],
  ollama: ['AGENTHUB_API_KEY'],
  offline: [],
};

const DEFAULTS: Readonly<Record<string, unknown>> = {
  'model.provider': 'offline',
  'model.timeout': 300_000,
  'model.maxRetries': 2,
  'model.stream': true,
  protocol: 'native-calls',
  'files.private': [],
  allowedServices: [],
  'hooks.todoReminder': true,
  'hooks.unfinishedTodos': true,
};

/** Flags by dotted path; undefined where none was given. */
export type Flags = Readonly<Record<string, unknown>>;

export interface LoadOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Flags;
  /** A file named on the command line: it must exist. */
  readonly file?: string | undefined;
}

/**
 * The effective settings: defaults, then the file, then the environment, then flags.
 * @throws AgentHubError `invalid_config` naming file, path and what is allowed.
 */
export function loadSettings({ cwd, env, flags, file }: LoadOptions): Settings {
  const path = resolve(cwd, file ?? CONFIG_FILE);
  if (file !== undefined && !existsSync(path))
    throw new AgentHubError('invalid_config', `${path}: there is no such file.`);
  const settings = new Map<string, { value: unknown; source: Source; from: string }>();
  const put = (values: Flags, source: Source, from: (name: string) => string) => {
    for (const [name, value] of Object.entries(values))
      if (value !== undefined) settings.set(name, { value, source, from: from(name) });
  };

  put({ ...DEFAULTS, locale: localeOf(env) }, 'default', () => 'default');
  put({ 'files.allowed': [cwd], knowledge: defaultKnowledge(cwd) }, 'default', () => 'default');
  if (existsSync(path)) put(flatten(readConfig(path)), 'file', () => path);
  const named = Object.entries(ENVIRONMENT).filter(([variable]) => env[variable]);
  put(
    Object.fromEntries(named.map(([variable, name]) => [name, env[variable]])),
    'environment',
    (name) => named.find(([, target]) => target === name)?.[0] ?? '',
  );
  put(flags, 'flag', (name) => `--${name}`);
  checkWhole(settings);
  return settings;
}

/** Reads and checks a configuration file; relative folders in it start from its own folder. */
function readConfig(path: string): ConfigFile {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/u, ''));
  } catch (thrown) {
    throw new AgentHubError('invalid_config', `${path}: not JSON: ${String(thrown)}`);
  }
  const { $schema: _, ...config } = parse(json, (where) => `${path}: ${where}`);
  const folder = dirname(path);
  const inFolder = (names: readonly string[]) => names.map((name) => resolve(folder, name));
  return {
    ...config,
    ...(config.knowledge && { knowledge: resolve(folder, config.knowledge) }),
    ...(config.files && {
      files: {
        ...(config.files.allowed && { allowed: inFolder(config.files.allowed) }),
        ...(config.files.private && { private: inFolder(config.files.private) }),
      },
    }),
  };
}

/** Values from the environment and from flags are held to the same schema as the file. */
function checkWhole(settings: Settings): void {
  const origin = (where: string) => {
    const found = [...settings].find(([name]) => where === name || where.startsWith(`${name}.`));
    return `${found?.[1].from ?? 'configuration'}: ${where}`;
  };
  parse(unflatten(settings), origin);
}

function parse(json: unknown, origin: (where: string) => string): ConfigFile {
  const parsed = configSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const where = path.map(String).join('.') || '(the whole)';
    return `${origin(where)}: ${message}`;
  });
  throw new AgentHubError('invalid_config', problems.join('\n'));
}

/** Parts that are set as a whole, not member by member. */
const WHOLE = new Set(['permissions.policies', 'imageService']);

function flatten(config: object, prefix = ''): Flags {
  return Object.fromEntries(
    Object.entries(config).flatMap(([key, value]): [string, unknown][] => {
      const name = prefix === '' ? key : `${prefix}.${key}`;
      const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
      return isGroup && !WHOLE.has(name) ? Object.entries(flatten(value, name)) : [[name, value]];
    }),
  );
}

/** The settings as one configuration object. */
export function unflatten(settings: Settings): ConfigFile {
  const config: Record<string, unknown> = {};
  for (const [name, { value }] of settings) {
    const keys = name.split('.');
    const last = keys.pop() ?? name;
    const group = keys.reduce<Record<string, unknown>>((at, key) => {
      at[key] ??= {};
      return at[key] as Record<string, unknown>;
    }, config);
    group[last] = value;
  }
  return config as ConfigFile;
}

/** The language of the environment: Chinese where it says so, English otherwise. */
function localeOf(env: LoadOptions['env']): 'zh' | 'en' {
  const language = env.LC_ALL || env.LC_MESSAGES || env.LANG || '';
  return /^zh/iu.test(language) ? 'zh' : 'en';
}

/** The working folder's own knowledge, or the demo shop's that comes with the package. */
function defaultKnowledge(cwd: string): string {
  const own = resolve(cwd, 'knowledge');
  return existsSync(own) ? own : join(packageFolder(), 'knowledge');
}

/** The folder this package is installed in, whether its source or its build is running. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder;
}
