import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toInput } from '../../src/integrations/mcp/input-schema.ts';

/** Schemas of the kinds servers list, small enough for inputs that fit to be found. */
const { schema } = fc.letrec((again) => {
  const inner = again('schema') as fc.Arbitrary<object>;
  const name = fc.constantFrom('a', 'b', 'c');
  const bound = fc.integer({ min: 0, max: 3 });
  const named = fc.dictionary(name, inner, { maxKeys: 2 });
  const object = fc.record(
    {
      type: fc.constant('object'),
      properties: named,
      required: fc.uniqueArray(name, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), inner),
      maxProperties: bound,
      patternProperties: fc.constant({ '^b': { type: 'number' } }),
    },
    { requiredKeys: ['type'] },
  );
  const array = fc.record(
    { type: fc.constant('array'), items: inner, minItems: bound, uniqueItems: fc.boolean() },
    { requiredKeys: ['type'] },
  );
  const branches = fc.array(inner, { minLength: 1, maxLength: 2 });
  const plain = fc.oneof(
    fc.record(
      { type: fc.constantFrom('number', 'integer'), minimum: bound, multipleOf: fc.constant(2) },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constant('string'), minLength: bound, maxLength: bound },
      { requiredKeys: ['type'] },
    ),
    fc.constantFrom<object>(
      { type: 'boolean' },
      { type: ['string', 'null'] },
      { enum: ['x', 1, null] },
      { enum: [{ a: 1 }, [1]] },
      { const: 'x' },
      { $ref: '#/$defs/d' },
      { $ref: '#' },
      { $ref: '#/$defs/d/properties/a' },
      { default: 'x' },
      { minimum: 1, minLength: 1 },
      { maxProperties: 1, items: { type: 'string' } },
      {},
    ),
  );
  const composed = fc.oneof(
    fc.record({ anyOf: branches }),
    fc.record({ oneOf: branches }),
    fc.record({ allOf: branches }),
    fc.record({ not: inner }),
    fc.record({ if: inner, else: inner }),
    fc.tuple(object, branches).map(([base, oneOf]) => ({ ...base, oneOf })),
  );
  return { schema: fc.oneof({ maxDepth: 3 }, plain, object, array, composed), definition: object };
});

const root = fc
  .record({
    properties: fc.dictionary(fc.constantFrom('a', 'b'), schema as fc.Arbitrary<object>),
    d: schema as fc.Arbitrary<object>,
    strict: fc.boolean(),
  })
  .map(({ properties, d, strict }) => ({
    type: 'object',
    properties,
    $defs: { d: { properties: { a: d } } },
    ...(strict && { additionalProperties: false, required: Object.keys(properties).slice(0, 1) }),
  }));

const { value } = fc.letrec((again) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('x', '', '🙂🙂', 0, 1, 2, 1.5, -1, true, null),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), again('value'), { maxKeys: 3 }),
    fc.array(again('value'), { maxLength: 3 }),
  ),
}));
const input = fc
  .dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3 })
  .map((one): unknown => JSON.parse(JSON.stringify(one)));

/** What the SDK's validator says; nothing of a schema that refers to itself alone, which it cannot take. */
function isValid(json: object, one: unknown): boolean {
  try {
    return new AjvJsonSchemaValidator().getValidator(json as never)(one).valid;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

describe('what is refused here', () => {
  it('is refused by the validator of the SDK too, whatever the schema says', () => {
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(root, fc.array(input, { minLength: 1, maxLength: 5 }), (json, inputs) => {
        const { input: check } = toInput(json);
        for (const one of inputs) {
          const isTaken = check.safeParse(one).success;
          seen[isTaken ? 'taken' : 'refused'] += 1;
          if (!isTaken) expect(isValid(json, one)).toBe(false);
        }
      }),
      { numRuns: 150 },
    );
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(50);
  });
});
