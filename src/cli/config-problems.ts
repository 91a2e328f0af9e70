import type { Locale } from '../../machines/vocabulary/json.ts';
import { checkValue, type Problem } from '../run/option-problems.ts';
import { type ConfigFile, configSchema } from './config-schema.ts';

/** Checks a configuration, or a part of one; gives what it holds, or everything that is wrong. */
export function checkConfig(
  json: unknown,
  locale: Locale,
):
  | { readonly ok: true; readonly config: ConfigFile }
  | { readonly ok: false; readonly problems: readonly Problem[] } {
  const checked = checkValue(configSchema, json, locale);
  return checked.ok ? { ok: true, config: checked.value } : checked;
}
