import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../machines/vocabulary/json.ts';
import { toToolSpec } from '../../src/tools/define-tool.ts';
import { judge, listed, toolsOf, toolWith } from './support.ts';

const object = (properties: Json, more: object = {}) => ({ type: 'object', properties, ...more });

describe('the model is shown the schema of the server', () => {
  it('with every keyword it has, also those that are not checked', async () => {
    const schema = {
      type: 'object',
      properties: {
        when: { type: 'string', format: 'date-time', description: 'RFC 3339' },
        code: { type: 'string', pattern: '^[A-Z]+$', default: 'A' },
        parent: { $ref: '#/$defs/node' },
      },
      required: ['when'],
      not: { required: ['parent', 'code'] },
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      additionalProperties: false,
    };
    const { inputSchema } = toToolSpec(await toolWith(schema), 'zh');
    expect(inputSchema).toEqual(schema);
  });

  it.each<Json>([{}, { type: 'object' }, { properties: {} }])(
    'an empty one as an object without properties, which endpoints want: %j',
    async (schema) => {
      const tool = await toolWith(schema);
      expect(toToolSpec(tool, 'en').inputSchema).toEqual({ type: 'object', properties: {} });
      expect(await judge(tool, {})).toBe('ok');
      expect(await judge(tool, { anything: 1 })).toBe('ok');
      expect(await judge(tool, 'text')).toContain('expected object, received string');
    },
  );

  it('without `$schema`, and with what hides in a description made visible', async () => {
    const tool = await toolWith({
      $schema: 'http://json-schema.org/draft-07/schema#',
      ...object({ a: { type: 'string', description: 'path\u{e0041}\u202e' } }),
    });
    expect(toToolSpec(tool, 'en').inputSchema).toEqual(
      object({ a: { type: 'string', description: 'path\\u{e0041}\\u{202e}' } }),
    );
  });
});

const person = object(
  { name: { type: 'string', minLength: 1 }, age: { type: 'integer', minimum: 0 } },
  { required: ['name'] },
);
const list = object({ value: { type: 'string' }, next: { $ref: '#' } }, { required: ['value'] });
const either = {
  oneOf: [
    object({ kind: { const: 'file' }, path: { type: 'string' } }, { required: ['kind', 'path'] }),
    object({ kind: { const: 'url' }, url: { type: 'string' } }, { required: ['kind', 'url'] }),
  ],
};

describe('arguments that cannot be right are refused, all others reach the server as they are', () => {
  it.each<[string, Json, Json[], Json[]]>([
    [
      'types and bounds',
      person,
      [{ name: 'A', age: 3 }],
      [{}, { name: '' }, { name: 'A', age: -1 }],
    ],
    [
      '$ref to $defs',
      { ...object({ who: { $ref: '#/$defs/person' } }), $defs: { person } },
      [{ who: { name: 'A' } }, {}],
      [{ who: { name: 3 } }, { who: 'A' }],
    ],
    [
      '$ref to definitions, as draft 7 has it, without saying which draft it is',
      { ...object({ who: { $ref: '#/definitions/a~1b' } }), definitions: { 'a/b': person } },
      [{ who: { name: 'A' } }],
      [{ who: {} }],
    ],
    [
      '$ref to a property, as zod-to-json-schema writes it',
      object({ from: person, to: { $ref: '#/properties/from' } }),
      [{ to: { name: 'A' } }],
      [{ to: {} }],
    ],
    [
      'a recursive $ref, followed once',
      list,
      [{ value: 'a', next: { value: 'b' } }],
      [{ next: {} }],
    ],
    [
      '$ref elsewhere, which is not fetched',
      object({ a: { $ref: 'https://x.example/s' } }),
      [{ a: 1 }],
      [],
    ],
    [
      'oneOf of objects',
      object({ source: either }),
      [{ source: { kind: 'file', path: 'a' } }, { source: { kind: 'url', url: 'b', more: 1 } }],
      [{ source: { kind: 'file', url: 'b' } }, { source: 'a' }],
    ],
    [
      'oneOf beside properties, which says what is needed',
      object({ a: {}, b: {} }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
      [{ a: 1 }, { b: 1 }],
      [{}, { c: 1 }],
    ],
    [
      'oneOf whose branches differ in what is not checked here',
      object({
        to: {
          oneOf: [
            { type: 'string', format: 'email' },
            { type: 'string', format: 'uri' },
          ],
        },
      }),
      [{ to: 'a@b.example' }, { to: 'https://b.example' }],
      [{ to: 3 }],
    ],
    [
      'allOf, each part strict about its own',
      { allOf: [person, object({ city: { type: 'string' } }, { required: ['city'] })] },
      [{ name: 'A', city: 'B' }],
      [{ name: 'A' }, { city: 'B' }, { name: 'A', city: 3 }],
    ],
    [
      'additionalProperties: false, beside a composition too',
      object({ a: {} }, { additionalProperties: false, anyOf: [{ required: ['a'] }] }),
      [{ a: 1 }],
      [{ a: 1, b: 2 }],
    ],
    [
      'additionalProperties with a schema',
      object({ a: { type: 'string' } }, { additionalProperties: { type: 'number' } }),
      [{ a: 'x', b: 1 }],
      [{ b: 'x' }],
    ],
    [
      'lengths, in characters however they are written',
      object({ a: { type: 'string', minLength: 1, maxLength: 3 } }),
      [{ a: '三个字' }, { a: '🙂🙂🙂' }],
      [{ a: '' }, { a: '1234567' }],
    ],
    [
      'formats, which validators read differently',
      object({
        when: { type: 'string', format: 'date-time' },
        at: { type: 'string', format: 'uri' },
      }),
      [{ when: '2026-11-30T10:00:00+08:00' }, { when: 'today' }, { at: '/relative' }],
      [{ when: 3 }],
    ],
    [
      'nullable in its three ways',
      object({
        a: { type: ['string', 'null'] },
        b: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        c: { type: 'string', nullable: true, enum: ['x'] },
      }),
      [
        { a: null, b: null, c: null },
        { a: 'x', b: 'x', c: 'x' },
      ],
      [{ a: 1 }, { b: 1 }, { c: 'y' }],
    ],
    [
      'a required property that is not described',
      object({}, { required: ['a'] }),
      [{ a: null }],
      [{}],
    ],
    [
      'a required property with a default, which the server fills in',
      {
        ...object(
          { a: { type: 'string', default: 'x' }, b: { $ref: '#/$defs/b' }, c: { type: 'string' } },
          { required: ['a', 'b', 'c'] },
        ),
        $defs: { b: { type: 'boolean', default: false } },
      },
      [{ c: 'y' }, { a: 'y', b: true, c: 'y' }],
      [{}, { a: 'y', b: true }, { a: 1, c: 'y' }],
    ],
    [
      'bounds without a type',
      object({ a: { maximum: 3, minLength: 2 } }),
      [{ a: 3 }, { a: 'xx' }, { a: [] }, { a: null }],
      [{ a: 4 }, { a: 3.5 }, { a: 'x' }],
    ],
    [
      'enumerations of several types',
      object({ a: { enum: ['x', 1, null] } }),
      [{ a: null }, { a: 1 }],
      [{ a: 2 }],
    ],
    [
      'objects in an enumeration, which are not compared here',
      object({ a: { enum: [{ x: 1 }] } }),
      [{ a: { x: 1 } }, { a: 2 }],
      [],
    ],
    [
      'nested schemas that leave their type out',
      object({ a: { properties: { b: { type: 'string' } } }, c: { items: { type: 'number' } } }),
      [{ a: { b: 'x' }, c: [1] }],
      [{ a: { b: 1 } }, { c: ['x'] }],
    ],
    [
      'tuples, in the words of both drafts',
      object({
        a: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
        b: { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' } },
      }),
      [{ a: ['x'], b: ['x', 1, 2] }],
      [{ a: ['x', 1] }, { b: ['x', 'y'] }],
    ],
    [
      'lists',
      object({ a: { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true } }),
      [{ a: ['x', 'y'] }],
      [{ a: [] }, { a: ['x', 'x'] }, { a: 'x' }],
    ],
    [
      'negations, conditions and dependencies, which the server judges',
      object(
        { a: { not: { type: 'string' } } },
        { if: { required: ['a'] }, else: { required: ['b'] }, dependentRequired: { c: ['d'] } },
      ),
      [{ a: 'x' }, { c: 1 }],
      [3],
    ],
    [
      'pattern properties',
      object({}, { patternProperties: { '^x': { type: 'string' } }, additionalProperties: false }),
      [{ xa: 'y' }],
      [],
    ],
    ['types that JSON Schema does not have', object({ a: { type: 'file' } }), [{ a: 1 }], []],
  ])('%s', async (_, schema, taken, refused) => {
    const tool = await toolWith(schema as never);
    expect(await Promise.all(taken.map((input) => judge(tool, input)))).toEqual(
      taken.map(() => 'ok'),
    );
    for (const input of refused)
      expect(await judge(tool, input)).toMatch(/^The arguments of files__read/u);
  });

  it('the model is told what is wrong in its language, and what is allowed', async () => {
    const tool = await toolWith(
      object(
        { to: { anyOf: [{ type: 'string' }, { type: 'null' }] }, n: { type: 'integer' } },
        { required: ['n'] },
      ),
    );
    expect(await judge(tool, { to: 3 })).toBe(
      [
        'The arguments of files__read are not valid, so it did not run. Correct them and call it again:',
        '- to: Invalid input (allowed: string | null)',
        '- n: Invalid input: expected number, received undefined (allowed: integer; it is required)',
      ].join('\n'),
    );
    expect(await judge(tool, { to: null, n: '3' }, 'zh')).toContain(
      '- n：无效输入：期望 数字，实际接收 string（允许：integer',
    );
  });
});

interface NameRow {
  readonly id: string;
  readonly schema: Json;
  readonly input: Json;
  readonly expected: 'valid' | 'invalid';
}

const nameRows: readonly NameRow[] = JSON.parse(
  readFileSync(new URL('../cases/inherited-names.json', import.meta.url), 'utf8'),
);

describe('properties with the names of what every object inherits are like any other', () => {
  it.each(nameRows)('$id', async ({ schema, input, expected }) => {
    const verdict = await judge(await toolWith(schema), input);
    expect(verdict === 'ok' ? 'valid' : 'invalid').toBe(expected);
  });

  it('the model is told of them by their own names', async () => {
    const names = object({ constructor: { type: 'string' } }, { additionalProperties: false });
    const input = JSON.parse('{ "constructor": 1, "__proto__": 2, "valueOf": 3 }');
    expect((await judge(await toolWith(names as never), input)).split('\n').slice(1)).toEqual([
      '- constructor: Invalid input: expected string, received number (allowed: string)',
      expect.stringMatching(/^- \(the whole input\): Unrecognized keys: "__proto__", "valueOf"/u),
    ]);
    expect(
      await judge(
        await toolWith(object({ toString: {} }, { required: ['toString'] }) as never),
        {},
      ),
    ).toContain('- toString: ');
  });
});

describe('a tool whose arguments are left to the server', () => {
  it('is there, and a problem says so', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 5_001 }, (_, index) => [`p${index}`, {}]),
    );
    const { names, problems } = await toolsOf({
      tools: [listed('big', { inputSchema: object(properties) }), listed('small')],
    });
    expect(names).toEqual(['files__big', 'files__small']);
    expect(problems).toEqual([
      {
        server: 'files',
        tool: 'big',
        message:
          'files: big: its arguments are left to the server: its schema has more than 5000 parts',
      },
    ]);
  });
});

describe('a hostile schema', () => {
  it('runs no expression of its own', async () => {
    const tool = await toolWith(object({ a: { type: 'string', pattern: '^(a+)+$' } }));
    expect(await judge(tool, { a: `${'a'.repeat(60)}!` })).toBe('ok');
  });

  it('cannot make checking cost more than its size: references are counted where they are used', async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` };
        return [
          `d${index}`,
          { allOf: [next, next], anyOf: [object({ a: next }), object({ a: next })] },
        ];
      }),
    );
    const tool = await toolWith({ ...object({ a: { $ref: '#/$defs/d0' } }), $defs } as never);
    expect(await judge(tool, { a: { a: { a: {} } } })).toBe('ok');
    expect(await judge(tool, [])).toContain('expected object');
  });

  it('that refers to itself and nothing else says nothing', async () => {
    const $defs = { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } };
    const tool = await toolWith({ ...object({ x: { $ref: '#/$defs/a' } }), $defs });
    expect(await judge(tool, { x: 1 })).toBe('ok');
  });

  it.each<[Json, string]>([
    [{ type: 'string' }, 'it does not describe an object'],
    [['type', 'object'], 'it is not an object'],
    [object({ a: null }), 'a schema must be an object'],
    [object({}, { required: 'a' }), 'required must be a list'],
    [
      object({ a: { type: 'string', required: true } as never, b: { required: true } }),
      'required must be a list',
    ],
    [object({ a: { description: 'x'.repeat(100_001) } }), 'it is longer than 100000 bytes'],
    [JSON.parse(`${'{"properties":{"a":'.repeat(70)}1${'}}'.repeat(70)}`), 'it nests too deep'],
  ])('that is none leaves its tool out, and says so: %j', async (schema, why) => {
    await expect(toolWith(schema as never)).rejects.toThrow(
      `files: read: its input schema cannot be used: ${why}`,
    );
  });
});
