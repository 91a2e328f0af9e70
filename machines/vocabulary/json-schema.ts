import type { Json, JsonObject } from './json.ts';

/** How one kind of reader is told what a schema allows. Each gets the part of the schema. */
export interface SchemaWording {
  /** A branch or a member of which the schema says nothing. */
  readonly any: string;
  readonly boolean: string;
  text(schema: JsonObject): string;
  number(schema: JsonObject, type: 'integer' | 'number'): string;
  list(item: string, schema: JsonObject): string;
  object(members: readonly SchemaMember[]): string;
}

/** A property that an object may have. */
export interface SchemaMember {
  readonly name: string;
  readonly isRequired: boolean;
  /** What it may be, in the same words. */
  readonly shape: string;
}

/**
 * What a JSON Schema allows, in words; empty when there is nothing to say. Total: schemas come from
 * servers, too.
 */
export function describeSchema(json: Json | undefined, words: SchemaWording): string {
  if (!isObject(json)) return '';
  const { type } = json;
  if (Array.isArray(json.enum)) return json.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (json.const !== undefined) return JSON.stringify(json.const);
  const branches = json.anyOf ?? json.oneOf;
  if (Array.isArray(branches))
    return branches.map((branch) => describeSchema(branch, words) || words.any).join(' | ');
  if (type === 'object') return words.object(membersOf(json, words));
  if (type === 'array') return words.list(describeSchema(json.items, words), json);
  if (type === 'string') return words.text(json);
  if (type === 'integer' || type === 'number') return words.number(json, type);
  if (type === 'boolean') return words.boolean;
  return [type ?? ''].flat().join(' | ');
}

function membersOf(schema: JsonObject, words: SchemaWording): readonly SchemaMember[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(isObject(schema.properties) ? schema.properties : {}).map(
    ([name, member]) => ({
      name,
      isRequired: required.includes(name),
      shape: describeSchema(member, words) || words.any,
    }),
  );
}

/** Bounds as people and models read them: `1…5`, `≥ 1`, `≤ 5`; empty without any. */
export function describeRange(least: Json | undefined, most: Json | undefined): string {
  // What a schema library writes for an integer that nobody bounded.
  const isOpen = most === undefined || most === Number.MAX_SAFE_INTEGER;
  const isOpenBelow = least === undefined || least === Number.MIN_SAFE_INTEGER;
  if (isOpen) return isOpenBelow ? '' : `≥ ${String(least)}`;
  return isOpenBelow ? `≤ ${String(most)}` : `${String(least)}…${String(most)}`;
}

/** The same for numbers: bounds that are not reached themselves are `> 0`, or the next integer. */
export function describeNumberRange(schema: JsonObject, type: 'integer' | 'number'): string {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  if (type === 'integer') {
    const least = typeof above === 'number' ? above + 1 : minimum;
    return describeRange(least, typeof below === 'number' ? below - 1 : maximum);
  }
  if (above === undefined && below === undefined) return describeRange(minimum, maximum);
  const lower = above === undefined ? describeRange(minimum, undefined) : `> ${String(above)}`;
  const upper = below === undefined ? describeRange(undefined, maximum) : `< ${String(below)}`;
  return [lower, upper].filter((bound) => bound !== '').join(', ');
}

/** The part of a schema that a path of a value leads to, through the first branch that has it. */
export function schemaAt(
  schema: Json | undefined,
  [key, ...rest]: readonly PropertyKey[],
): JsonObject | null {
  if (!isObject(schema)) return null;
  if (key === undefined) return schema;
  for (const branch of branchesOf(schema)) {
    const next =
      typeof key === 'number'
        ? branch.items
        : (ownMember(branch.properties, key) ?? branch.additionalProperties);
    const found = schemaAt(next, rest);
    if (found !== null) return found;
  }
  return null;
}

/** The branches of a union; any other schema is its own only one. */
export function branchesOf(schema: JsonObject): readonly JsonObject[] {
  const branches = schema.anyOf ?? schema.oneOf;
  return Array.isArray(branches) ? branches.filter(isObject) : [schema];
}

/** A member of an object, never one that every object inherits. */
export function ownMember(value: unknown, key: PropertyKey): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<PropertyKey, Json>)[key];
}

function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
