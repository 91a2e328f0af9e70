import { describe, expect, it } from 'vitest';
import { AgentHubError, toErrorData } from '../../machines/vocabulary/errors.ts';
import { canonicalJson, isJson } from '../../machines/vocabulary/json.ts';

describe('canonicalJson', () => {
  it('is the same text for equal values', () => {
    expect(canonicalJson({ b: 1, a: { d: [1, { y: 1, x: 2 }], c: null } })).toBe(
      '{"a":{"c":null,"d":[1,{"x":2,"y":1}]},"b":1}',
    );
    expect(canonicalJson({ a: 1, b: undefined })).toBe(canonicalJson({ a: 1 }));
    expect(canonicalJson({ '10': 1, '9': 2 })).toBe(canonicalJson({ '9': 2, '10': 1 }));
  });

  it('is another text for other values', () => {
    const texts = [null, false, 0, '', '0', [], {}, [0], [[0]], { 0: 0 }, ['0'], [null], 'null'];
    expect(new Set(texts.map(canonicalJson)).size).toBe(texts.length);
  });

  it('reads back as what it was written from', () => {
    const value = {
      'a"b': ['\n', '\u2028', '退货', 1e21, -0.5, true, null],
      '': { __proto__x: 1 },
    };
    expect(JSON.parse(canonicalJson(value))).toEqual(value);
    const sneaky = JSON.parse('{"__proto__":{"approved":true},"a":1}');
    expect(canonicalJson(sneaky)).toBe('{"__proto__":{"approved":true},"a":1}');
  });
});

describe('isJson', () => {
  it.each([null, true, 0, -1.5, '', [], {}, [null, { a: ['b'] }], Object.create(null)])(
    'takes %j',
    (value) => expect(isJson(value)).toBe(true),
  );

  it.each([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['an error', new Error('a')],
    ['a class instance', new (class A {})()],
    ['an undefined member', { a: undefined }],
    ['an undefined element', [undefined]],
    ['a hole', Array(1)],
    ['a function deep inside', { a: [{ b: () => 1 }] }],
  ])('refuses %s', (_, value) => expect(isJson(value)).toBe(false));

  it('refuses what never ends or nests too deep', () => {
    const cycle: Record<string, unknown> = {};
    cycle.a = { b: [cycle, cycle] };
    expect(isJson(cycle)).toBe(false);
    const nested = (depth: number): unknown => (depth === 0 ? 0 : [nested(depth - 1)]);
    expect(isJson(nested(100))).toBe(true);
    expect(isJson(nested(101))).toBe(false);
  });
});

describe('AgentHubError', () => {
  it('knows the errors of another copy of the package, and nothing else', async () => {
    const path = '../../machines/vocabulary/errors.ts?copy';
    const copy = (await import(/* @vite-ignore */ path)) as { AgentHubError: typeof AgentHubError };
    expect(copy.AgentHubError).not.toBe(AgentHubError);
    const theirs = new copy.AgentHubError('auth', 'no key', { retryable: false });
    expect(theirs instanceof AgentHubError).toBe(true);
    expect(new AgentHubError('auth', 'no key') instanceof copy.AgentHubError).toBe(true);
    const data = { code: 'auth', message: 'no key', details: { retryable: false } };
    expect(toErrorData(theirs, 'other')).toEqual(data);
    for (const other of [
      Object.assign(new Error('boom'), { code: 'EPERM' }),
      Object.assign(new Error('boom'), { name: 'AgentHubError' }),
      { name: 'AgentHubError', code: 'auth', message: 'no key' },
      null,
      'AgentHubError',
    ])
      expect(other instanceof AgentHubError).toBe(false);
  });
});

describe('toErrorData', () => {
  it('keeps the code, the message and the details of our own errors', () => {
    const error = new AgentHubError('auth', 'no key', { retryable: false });
    const data = { code: 'auth', message: 'no key', details: { retryable: false } };
    expect(toErrorData(error, 'other')).toEqual(data);
    expect(toErrorData(data, 'other')).toEqual(data);
  });

  it('gives a foreign error the code asked for, and nothing of its own', () => {
    const foreign = Object.assign(new Error('boom'), { code: 'EPERM', details: { secret: 1 } });
    expect(toErrorData(foreign, 'tool_failed')).toEqual({ code: 'tool_failed', message: 'boom' });
  });

  it('is total and gives JSON', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const silent = {
      toString: () => {
        throw new Error('no');
      },
    };
    for (const thrown of [
      undefined,
      null,
      7,
      'text',
      Symbol('a'),
      {},
      silent,
      Object.create(null),
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('no');
          },
        },
      ),
      { message: 'a', details: cycle },
      { message: 'a', details: () => 1 },
      { message: 'a', details: { size: 1n } },
      new AgentHubError('a', 'b', { gone: undefined } as never),
    ]) {
      const data = toErrorData(thrown, 'failed');
      expect(isJson(data)).toBe(true);
      expect(typeof data.message).toBe('string');
    }
  });

  it('keeps what is JSON of details that are not altogether', () => {
    const details = { retryable: true, gone: undefined } as never;
    expect(toErrorData(new AgentHubError('a', 'b', details), 'c').details).toEqual({
      retryable: true,
    });
  });
});

describe('instanceof AgentHubError', () => {
  it('is a plain no for what cannot be looked at', () => {
    const trap = (): never => {
      throw new Error('trap');
    };
    const hostile = new Error('a');
    Object.defineProperty(hostile, 'name', { get: trap });
    const strange = [new Proxy({}, { getPrototypeOf: trap, get: trap }), hostile, null, 'a'];
    expect(strange.map((thrown) => thrown instanceof AgentHubError)).toEqual(
      strange.map(() => false),
    );
  });
});
