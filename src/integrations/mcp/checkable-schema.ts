import type { Json, JsonObject } from '../../../machines/vocabulary/json.ts';
import { ownName } from './own-names.ts';

/** A server's schema that is no JSON Schema. */
export class MalformedSchema extends Error {}

/** A schema of more parts, references followed, is shown to the model and not checked here. */
export const MOST_PARTS = 5_000;

const TYPES: readonly string[] = [
  'object',
  'array',
  'string',
  'number',
  'boolean',
  'integer',
  'null',
];
const NO_TYPES = { types: [], others: [] };
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
/** The keywords that say something of one type alone. */
const ABOUT: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength'],
  number: [...NUMBERS, 'multipleOf'],
};

/**
 * What of a server's JSON Schema can be checked here, in the words that `z.fromJSONSchema` takes
 * as JSON Schema means them: one schema for each thing that must hold. Never stricter than the
 * original: an input it refuses is surely wrong, and the server judges the rest. Left out are
 * formats (validators differ), patterns (an expression of a stranger may run for ever), negations and
 * conditions; `oneOf` counts as `anyOf`. A required property with a default counts as optional:
 * servers fill it in. Names of properties are as {@link ownName} gives them. References are followed in place, a recursive one once, so that
 * the work is bounded by what is counted here. Null when the schema is too large.
 * `root` is what references start from, where that is another.
 * @throws MalformedSchema where a keyword holds what it cannot.
 */
export function checkableSchemas(schema: JsonObject, root = schema): readonly JsonObject[] | null {
  const relaxing = new Relaxing(root);
  const whole = relaxing.relax(schema);
  return relaxing.isTooLarge ? null : toParts(whole);
}

function toParts(relaxed: Json): JsonObject[] {
  if (typeof relaxed !== 'object' || relaxed === null) return [];
  const schema = relaxed as JsonObject;
  return Array.isArray(schema.allOf) ? schema.allOf.flatMap(toParts) : [schema];
}

class Relaxing {
  readonly #root: JsonObject;
  /** The references that are being followed. */
  readonly #following: string[] = [];
  #parts = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  get isTooLarge(): boolean {
    return this.#parts > MOST_PARTS;
  }

  relax(json: Json): Json {
    this.#parts += 1;
    if (typeof json === 'boolean' || this.isTooLarge) return json !== false;
    const schema = requireObject(json, 'a schema');
    const { anyOf, oneOf, allOf, $ref } = schema;
    const all: Json[] = [];
    if (typeof $ref === 'string') all.push(this.#follow($ref));
    const base = this.#base(schema);
    if (base !== null) all.push(base);
    for (const branches of [anyOf, oneOf]) {
      if (branches === undefined) continue;
      const relaxed = requireList(branches, 'anyOf and oneOf').map((one) => this.relax(one));
      if (relaxed.length > 0 && !relaxed.includes(true)) all.push({ anyOf: relaxed });
    }
    if (allOf !== undefined) all.push(...requireList(allOf, 'allOf').map((one) => this.relax(one)));
    const telling = all.filter((one) => one !== true);
    const whole = telling.length > 1 ? { allOf: telling } : (telling[0] ?? true);
    // OpenAPI's word for it, which many servers use.
    return schema.nullable === true && whole !== true
      ? { anyOf: [whole, { type: 'null' }] }
      : whole;
  }

  #follow(pointer: string): Json {
    const found = this.#at(pointer);
    if (found === undefined || this.#following.includes(pointer)) return true;
    this.#following.push(pointer);
    const relaxed = this.relax(found);
    this.#following.pop();
    return relaxed;
  }

  #at(pointer: string): Json | undefined {
    if (!/^#(?:\/|$)/u.test(pointer)) return undefined;
    let current: Json | undefined = this.#root;
    for (const step of pointer.split('/').slice(1)) {
      const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
      const holder: unknown = current;
      if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) return;
      current = (holder as Record<string, Json>)[key];
    }
    return current;
  }

  /** What a schema says by itself, without what it is composed of; null for nothing. */
  #base(schema: JsonObject): JsonObject | null {
    const values = schema.const === undefined ? schema.enum : [schema.const];
    if (values !== undefined) {
      const choice = requireList(values, 'enum');
      return choice.some((one) => typeof one === 'object' && one !== null)
        ? null
        : { enum: choice };
    }
    const { types, others } = typesOf(schema);
    const described = types.map((type) => this.#ofType(type, schema));
    const any = [...described, ...others.map((type) => ({ type }))];
    return any.length > 1 ? { anyOf: any } : (any[0] ?? null);
  }

  #ofType(type: string, schema: JsonObject): JsonObject {
    if (type === 'object') return this.#object(schema);
    if (type === 'array') return this.#array(schema);
    const words = type === 'string' ? COUNTS : [...NUMBERS, 'multipleOf'];
    const bounds = type === 'boolean' || type === 'null' ? {} : numbersOf(schema, words);
    // JSON Schema counts characters, zod the units they are written with: at most two each.
    if (typeof bounds.maxLength === 'number')
      return { type, ...bounds, maxLength: 2 * bounds.maxLength };
    return { type, ...bounds };
  }

  #object(schema: JsonObject): JsonObject {
    const properties = requireObject(schema.properties ?? {}, 'properties');
    const required = requireList(schema.required ?? [], 'required');
    if (!required.every((name) => typeof name === 'string'))
      throw new MalformedSchema('required must name properties');
    const members: [string, Json][] = Object.entries(properties).map(([name, one]) => [
      ownName(name),
      this.relax(one),
    ]);
    // What is required and not described would be let through when it is missing.
    for (const name of required)
      if (!Object.hasOwn(properties, name)) members.push([ownName(name), true]);
    const needed = required.filter((name) => !this.#hasDefault(properties, name));
    const rest = schema.patternProperties === undefined ? schema.additionalProperties : true;
    return {
      type: 'object',
      properties: Object.fromEntries(members),
      required: needed.map(ownName),
      additionalProperties: this.relax(rest ?? true),
      ...numbersOf(schema, COUNTS),
    };
  }

  #hasDefault(properties: JsonObject, name: string): boolean {
    const given = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const { default: value, $ref } = (given ?? {}) as JsonObject;
    const named = typeof $ref === 'string' ? this.#at($ref) : undefined;
    return (value ?? (named as JsonObject | undefined)?.default) !== undefined;
  }

  #array(schema: JsonObject): JsonObject {
    const { items = true, prefixItems, uniqueItems } = schema;
    const first = Array.isArray(items) ? items : prefixItems;
    const rest = Array.isArray(items) ? (schema.additionalItems ?? true) : items;
    return {
      type: 'array',
      ...(first !== undefined && {
        prefixItems: requireList(first, 'prefixItems').map((one) => this.relax(one)),
      }),
      items: this.relax(rest),
      ...numbersOf(schema, COUNTS),
      ...(uniqueItems === true && { uniqueItems }),
    };
  }
}

/**
 * The types of a schema, none for any. Where it names none, those that its keywords are about, and
 * the others, about which they say nothing.
 */
function typesOf(schema: JsonObject): {
  readonly types: readonly string[];
  readonly others: readonly string[];
} {
  const { type, $ref } = schema;
  // Beside a reference the older drafts let no keyword count.
  if (type === undefined && $ref !== undefined) return NO_TYPES;
  if (type === undefined) {
    const isAbout = (one: string) =>
      ABOUT[one]?.some((word) => Object.hasOwn(schema, word)) ?? false;
    const types = TYPES.filter(isAbout);
    if (types.length === 0) return NO_TYPES;
    // An integer is a number, and as bound.
    return { types, others: TYPES.filter((one) => !types.includes(one) && one !== 'integer') };
  }
  const types = [type].flat();
  if (types.length === 0 || !types.every((one) => typeof one === 'string'))
    throw new MalformedSchema('type must name types');
  const named = types as readonly string[];
  return named.every((one) => TYPES.includes(one)) ? { types: named, others: [] } : NO_TYPES;
}

function numbersOf(schema: JsonObject, words: readonly string[]): JsonObject {
  const given = words.flatMap((word) => {
    const value = schema[word];
    const isBound = typeof value === 'number' && (word !== 'multipleOf' || value > 0);
    return isBound || typeof value === 'boolean' ? [[word, value] as const] : [];
  });
  return Object.fromEntries(given);
}

function requireObject(json: Json, what: string): JsonObject {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as JsonObject;
  throw new MalformedSchema(`${what} must be an object`);
}

function requireList(json: Json, what: string): readonly Json[] {
  if (Array.isArray(json)) return json;
  throw new MalformedSchema(`${what} must be a list`);
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
