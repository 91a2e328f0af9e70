import type { z } from 'zod';
import type { JsonObject } from '../../machines/vocabulary/json.ts';

/**
 * Whether a schema has properties with names that every object inherits, such as `constructor`: zod
 * takes the inherited one for one that was given. A schema that checks its input by itself has none.
 */
export function readsInherited(schema: z.ZodType, toJson: () => JsonObject): boolean {
  const known = read.get(schema);
  if (known !== undefined) return known;
  const names = schema._zod.def.type === 'unknown' ? [] : propertiesOf(toJson());
  const reads = names.some((name) => name in Object.prototype);
  read.set(schema, reads);
  return reads;
}

/** What has been found out; every call asks. */
const read = new WeakMap<z.ZodType, boolean>();

/** Whether a schema has a property `__proto__`, which zod neither checks nor gives. */
export function hasProtoProperty(schema: z.ZodType, json: JsonObject): boolean {
  return schema._zod.def.type !== 'unknown' && propertiesOf(json).includes('__proto__');
}

/** The same JSON, of objects that inherit nothing. */
export function withoutPrototypes(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(withoutPrototypes);
  const members = Object.entries(json).map(([name, one]) => [name, withoutPrototypes(one)]);
  return Object.setPrototypeOf(Object.fromEntries(members), null);
}

/** What a schema made of such JSON, of plain objects again. */
export function withPrototypes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withPrototypes);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withPrototypes(one)]),
  );
}

/** The names of all properties that a JSON Schema describes, however deep. */
function propertiesOf(json: unknown): readonly string[] {
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([key, member]) => {
    const isDescription = key === 'properties' && typeof member === 'object' && member !== null;
    return [...(isDescription ? Object.keys(member) : []), ...propertiesOf(member)];
  });
}
