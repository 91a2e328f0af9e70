import type { Json, JsonObject, Locale } from '../../machines/vocabulary/json.ts';

/** The part of a JSON Schema that a path of an input leads to; null when it names none. */
export function schemaAt(schema: JsonObject, path: readonly PropertyKey[]): JsonObject | null {
  let current: JsonObject | null = schema;
  for (const key of path) {
    const next: Json | undefined =
      typeof key === 'number' ? current?.items : ownMember(current?.properties, key);
    if (typeof next !== 'object' || next === null || Array.isArray(next)) return null;
    current = next as JsonObject;
  }
  return current;
}

/** A member of an object, never one that every object inherits. */
export function ownMember(value: unknown, key: PropertyKey): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<PropertyKey, Json>)[key];
}

/** What a schema allows, in words for a model; empty when there is nothing to say. */
export function describeAllowed(schema: JsonObject | null, locale: Locale): string {
  if (schema === null) return '';
  const shape = describeShape(schema);
  return shape === '' ? '' : `${locale === 'zh' ? '允许：' : 'allowed: '}${shape}`;
}

/** Total: schemas come from servers, too. */
function describeShape(json: Json | undefined): string {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return '';
  const schema = json as JsonObject;
  if (Array.isArray(schema.enum))
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches))
    return branches.map((one) => describeShape(one) || 'any').join(' | ');
  if (schema.type === 'object') return describeObject(schema);
  if (schema.type === 'array') {
    const items = describeShape(schema.items);
    return `[${items}, …]${describeRange(schema.minItems, schema.maxItems)}`;
  }
  if (schema.type === 'string') {
    return `string${describeRange(schema.minLength, schema.maxLength)}`;
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    const minimum = schema.minimum ?? schema.exclusiveMinimum;
    return `${schema.type}${describeRange(minimum, schema.maximum ?? schema.exclusiveMaximum)}`;
  }
  return [schema.type ?? ''].flat().join(' | ');
}

function describeObject(schema: JsonObject): string {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = Object.entries((schema.properties ?? {}) as JsonObject).map(
    ([name, member]) =>
      `"${name}"${required.includes(name) ? '' : '?'}: ${describeShape(member) || 'any'}`,
  );
  return `{ ${members.join(', ')} }`;
}

function describeRange(minimum: Json | undefined, maximum: Json | undefined): string {
  if (minimum === undefined && maximum === undefined) return '';
  return ` ${minimum ?? 0}…${maximum ?? ''}`.trimEnd();
}
