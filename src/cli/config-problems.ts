import type { Locale } from '../../machines/vocabulary/json.ts';
import { checkValue, type Problem } from '../run/option-problems.ts';
import { type ConfigFile, configSchema } from './config-schema.ts';
import { say } from './texts.ts';

/** Checks a configuration, or a part of one; gives what it holds, or everything that is wrong. */
export function checkConfig(
  json: unknown,
  locale: Locale,
):
  | { readonly ok: true; readonly config: ConfigFile }
  | { readonly ok: false; readonly problems: readonly Problem[] } {
  const checked = checkValue(configSchema, json, locale);
  if (checked.ok) return { ok: true, config: checked.value };
  const problems = checked.problems.map(({ path, text }) =>
    path === 'extension' ? { path, text: say(locale, 'extensionInFile') } : { path, text },
  );
  return { ok: false, problems };
}

/** Problems as lines that begin with where the setting was set: a file, a variable or a flag. */
export function problemLines(
  problems: readonly Problem[],
  from: (path: string) => string,
): readonly string[] {
  return problems.map(({ path, text }) => [from(path), path, text].filter(Boolean).join(': '));
}
