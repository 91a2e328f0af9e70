import { isJson, type Json, type Locale } from '../../../machines/vocabulary/json.ts';
import type { Tool } from '../../tools/tool.types.ts';
import { validateInput } from '../../tools/validate-input.ts';

/**
 * An input as its tool takes it. What a schema makes of an input (a default, a transform) must be
 * JSON too: it is shown to people, bound to their approval, and stored.
 */
export function checkInput(
  tool: Tool,
  input: Json,
  locale: Locale,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string } {
  const checked = validateInput(tool, input, locale);
  if (!checked.ok) return checked;
  // Members that are undefined do not exist in JSON: an optional property that was left out.
  const value: unknown = JSON.parse(JSON.stringify(checked.value ?? null));
  if (isJson(checked.value) || isJson(value)) return { ok: true, value: value as Json };
  return { ok: false, message: `${tool.name}: its schema does not give JSON.` };
}
