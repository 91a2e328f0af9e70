/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** The languages a person or a model may be addressed in. */
export type Locale = 'zh' | 'en';

/** One text in both languages. */
export type LocalizedText = Readonly<Record<Locale, string>>;

/**
 * JSON text with the keys of every object sorted, so that equal values have equal text.
 * Keys whose value is `undefined` are left out, as `JSON.stringify` does.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  // Every gate compares such texts: one pass, without lists in between.
  let members = '';
  for (const key of Object.keys(value).sort()) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

const MAX_DEPTH = 100;

/**
 * How deep a call's input may nest: it stands in a call, in a list, in a step, and that must be JSON
 * too.
 */
export const MAX_INPUT_DEPTH = MAX_DEPTH - 3;

/**
 * Whether a value is JSON all the way down: no functions, dates, class instances, `NaN`,
 * cycles, or members that `JSON.stringify` would drop. `depth` is how deep it may nest.
 */
export function isJson(value: unknown, depth = MAX_DEPTH): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === 0) return false;
  // Not `every`: it passes over holes.
  if (Array.isArray(value)) return Array.from(value).every((member) => isJson(member, depth - 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((member) => isJson(member, depth - 1));
}
