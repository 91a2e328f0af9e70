import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Json, JsonObject } from '../../machines/vocabulary/json.ts';
import {
  describeNumberRange,
  describeSchema,
  type SchemaWording,
  schemaAt,
} from '../../machines/vocabulary/json-schema.ts';

const WORDS: SchemaWording = {
  any: 'any',
  boolean: 'yes or no',
  text: () => 'text',
  number: (schema, type) => `${type} ${describeNumberRange(schema, type)}`.trim(),
  list: (item) => `[${item}]`,
  object: (members) =>
    members.map((one) => `${one.name}${one.isRequired ? '' : '?'}: ${one.shape}`).join(', '),
};

const schemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject;

describe('a JSON Schema in words', () => {
  it.each([
    ['integers', z.int(), 'integer'],
    ['positive integers', z.int().positive(), 'integer ≥ 1'],
    ['integers up to', z.int().max(5), 'integer ≤ 5'],
    ['integers below', z.int().min(1).lt(5), 'integer 1…4'],
    ['numbers between', z.number().min(0).max(1.5), 'number 0…1.5'],
    ['positive numbers', z.number().positive(), 'number > 0'],
    ['numbers with one open end', z.number().min(1).lt(5), 'number ≥ 1, < 5'],
    ['a choice', z.enum(['a', 'b']), '"a" | "b"'],
    ['one value', z.literal(3), '3'],
    ['a union', z.union([z.string(), z.unknown()]), 'text | any'],
    ['an object', z.object({ a: z.boolean(), b: z.any().optional() }), 'a: yes or no, b?: any'],
    ['a list', z.array(z.null()), '[null]'],
    ['anything', z.unknown(), ''],
  ])('%s', (_, schema, expected) => {
    expect(describeSchema(schemaOf(schema), WORDS)).toBe(expected);
  });

  it.each<Json>([
    null,
    [],
    'string',
    { type: ['string', 'null'] },
    { type: 'object', properties: [] },
    { anyOf: {}, type: 'array' },
  ])('never throws for what a server calls a schema: %j', (json) => {
    expect(describeSchema(json, WORDS)).toEqual(expect.any(String));
    expect(schemaAt(json, ['constructor', 0])).toBeNull();
  });
});

describe('the part of a schema at a path', () => {
  const schema = schemaOf(
    z.union([
      z.object({ list: z.array(z.object({ a: z.int() })) }),
      z.object({ map: z.record(z.string(), z.boolean()) }),
    ]),
  );

  it('goes through members, items, branches and further properties', () => {
    expect(schemaAt(schema, ['list', 2, 'a'])).toMatchObject({ type: 'integer' });
    expect(schemaAt(schema, ['map', 'any'])).toEqual({ type: 'boolean' });
  });

  it('is null where there is none', () => {
    expect(schemaAt(schema, ['list', 2, 'b'])).toBeNull();
    expect(schemaAt(schema, ['list', 'toString'])).toBeNull();
  });
});
