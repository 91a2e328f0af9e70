import { dirname, resolve } from 'node:path';
import { toErrorData } from '../../machines/vocabulary/errors.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import { checkConfig, problemLines } from './config-problems.ts';
import type { ConfigFile } from './config-schema.ts';
import { flatten, type Values } from './config-values.ts';
import { digestOf } from './digest.ts';
import { sayError } from './error-texts.ts';
import { parseJson, readBytes } from './read-file.ts';

/** What a configuration file holds, and what it was read from. */
export interface ReadConfig {
  /** Empty where there are problems. */
  readonly values: Values;
  /** SHA-256 of the very bytes that the values come from, in hexadecimal digits. */
  readonly digest: string;
  /** Everything that is wrong, for people. */
  readonly problems: readonly string[];
}

/** Reads a configuration file, once: what is judged, trusted and used are the same bytes. */
export function readConfigFile(path: string, locale: Locale): ReadConfig {
  try {
    const bytes = readBytes(path);
    const digest = digestOf(bytes);
    const json = parseJson(bytes, path);
    const checked = checkConfig(json, locale);
    if (checked.ok) return { values: fromItsFolder(checked.config, path), digest, problems: [] };
    return { values: {}, digest, problems: problemLines(checked.problems, () => path) };
  } catch (thrown) {
    return { values: {}, digest: '', problems: [sayError(toErrorData(thrown, 'usage'), locale)] };
  }
}

/** The values of a file; relative folders in it start from its own folder. */
function fromItsFolder({ $schema: _, ...config }: ConfigFile, path: string): Values {
  const inFolder = (name: string) => resolve(dirname(path), name);
  const values: Record<string, unknown> = { ...flatten(config) };
  if (config.knowledge) values.knowledge = inFolder(config.knowledge);
  if (config.store) values.store = inFolder(config.store);
  for (const kind of ['allowed', 'private'] as const)
    if (config.files?.[kind]) values[`files.${kind}`] = config.files[kind].map(inFolder);
  return values;
}
