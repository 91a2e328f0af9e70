import {
  isJson,
  type Json,
  type Locale,
  MAX_INPUT_DEPTH,
} from '../../../machines/vocabulary/json.ts';
import type { Tool } from '../../tools/tool.types.ts';
import { validateInput } from '../../tools/validate-input.ts';

/**
 * An input as its tool takes it. What a schema makes of an input (a default, a transform) must be
 * JSON too: it is shown to people, bound to their approval, and stored. Total: a schema that gives
 * anything else (a date, a map, a `bigint`, a cycle) refuses the input, and never ends the run.
 */
export async function checkInput(
  tool: Tool,
  input: Json,
  locale: Locale,
): Promise<
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string }
> {
  const checked = await validateInput(tool, input, locale);
  if (!checked.ok) return checked;
  const value = withoutUndefined(checked.value, MAX_INPUT_DEPTH);
  if (isJson(value, MAX_INPUT_DEPTH)) return { ok: true, value };
  return { ok: false, message: `${tool.name}: its schema does not give JSON.` };
}

/** Members that are undefined do not exist in JSON: an optional property that was left out. */
function withoutUndefined(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((member) => withoutUndefined(member, depth - 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, at]) => [key, withoutUndefined(at, depth - 1)]));
}
