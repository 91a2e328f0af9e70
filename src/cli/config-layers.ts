import { isAbsolute, resolve } from 'node:path';
import type { Locale } from '../../machines/vocabulary/json.ts';
import type { Flags, LoadOptions, Setting } from './config.ts';
import { checkConfig, problemLines } from './config-problems.ts';
import { flatten, nested, type Values } from './config-values.ts';
import { say } from './texts.ts';

/** What one source sets, over all that came before it, and what is wrong in it, for people. */
export interface Layer {
  readonly settings: readonly (readonly [name: string, setting: Setting])[];
  readonly problems: readonly string[];
}

/** What takes effect of a file. */
export interface FilePart {
  readonly path: string;
  readonly values: Values;
  readonly problems: readonly string[];
  readonly isTrusted: boolean;
  /** Whether the file says something of a setting that needs a person's word first. */
  readonly isHeldBack?: (setting: string) => boolean;
}

const EMPTY: Layer = { settings: [], problems: [] };

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

/** What a configuration file sets; null where there is none. */
export function fileLayer(file: FilePart | null): Layer {
  if (file === null) return EMPTY;
  const whence = { source: 'file', from: file.path } as const;
  const settings = settingsOf(file.values, () =>
    file.isTrusted ? { ...whence, isTrusted: true } : whence,
  );
  return { settings, problems: file.problems };
}

/** What the variables of {@link ENVIRONMENT} set. An empty one sets nothing. */
export function environmentLayer(env: LoadOptions['env'], locale: Locale): Layer {
  const named = Object.entries(ENVIRONMENT).filter(([variable]) => env[variable]);
  const values = Object.fromEntries(named.map(([variable, name]) => [name, env[variable]]));
  const variableOf = (name: string) => named.find(([, target]) => target === name)?.[0] ?? '';
  return checkedLayer(values, { source: 'environment', from: variableOf, locale });
}

/** What flags set, but for the extension. */
export function flagLayer({ extension: _, ...flags }: Flags, locale: Locale): Layer {
  const given = Object.entries(flags).filter(([, { value }]) => value !== undefined);
  const values = Object.fromEntries(given.map(([name, { value }]) => [name, value]));
  return checkedLayer(values, { source: 'flag', from: (name) => flags[name]?.flag ?? '', locale });
}

/** The extension: a flag's, or else that of the environment. */
export function extensionLayer(
  { cwd, env, flags }: Pick<LoadOptions, 'cwd' | 'env' | 'flags'>,
  locale: Locale,
): Layer {
  const { extension: flag } = flags;
  const file = env[EXTENSION_VARIABLE];
  const isRelative = Boolean(file) && !isAbsolute(file ?? '');
  const why = isRelative ? say(locale, 'extensionRelative', { file: file ?? '' }) : '';
  const problems = isRelative ? [`${EXTENSION_VARIABLE}: ${why}`] : [];
  if (flag !== undefined && typeof flag.value === 'string') {
    const value = resolve(cwd, flag.value);
    return { settings: [['extension', { value, source: 'flag', from: flag.flag }]], problems };
  }
  if (!file || isRelative) return { settings: [], problems };
  const setting = { value: file, source: 'environment', from: EXTENSION_VARIABLE } as const;
  return { settings: [['extension', setting]], problems };
}

function checkedLayer(
  values: Values,
  {
    source,
    from,
    locale,
  }: {
    readonly source: Setting['source'];
    readonly from: (name: string) => string;
    readonly locale: Locale;
  },
): Layer {
  const checked = checkConfig(nested(values), locale);
  if (!checked.ok) return { settings: [], problems: problemLines(checked.problems, from) };
  const whence = (name: string) => ({ source, from: from(name) });
  return { settings: settingsOf(flatten(checked.config), whence), problems: [] };
}

function settingsOf(
  values: Values,
  whence: (name: string) => Omit<Setting, 'value'>,
): Layer['settings'] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, { value, ...whence(name) }] as const],
  );
}
