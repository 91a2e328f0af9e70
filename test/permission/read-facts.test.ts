import { describe, expect, it } from 'vitest';
import { readFacts } from '../../machines/permission/read-facts.ts';

class Answer {
  get touchesPrivate() {
    return true;
  }
}

describe('reading what a fact inspector answers', () => {
  it.each<[string, unknown, object]>([
    ['nothing', undefined, {}],
    ['null', null, {}],
    ['facts of one’s own', { amount: 3, deep: { a: [1] } }, { amount: 3, deep: { a: [1] } }],
    ['a known fact left undefined', { outputExists: undefined }, {}],
    ['flags', { touchesPrivate: true }, { touchesPrivate: true }],
    ['no identity', { identity: null }, { identity: null }],
    ['a getter of a class, which must not be lost', new Answer(), { touchesPrivate: true }],
  ])('takes %s', (_, found, facts) => {
    expect(readFacts(found)).toEqual({ ok: true, facts });
  });

  it.each<[string, unknown, string]>([
    ['a text', 'all clear', 'they are not an object'],
    ['a list', [], 'they are not an object'],
    ['a function', () => ({}), 'they are not an object'],
    ['a flag that is no flag', { outputExists: 'yes' }, 'outputExists is neither true nor false'],
    ['a flag that is null', { touchesPrivate: null }, 'touchesPrivate is neither true nor false'],
    ['an identity that is a text', { identity: 'a' }, 'identity is neither an object nor null'],
    ['an identity that is a list', { identity: [] }, 'identity is neither an object nor null'],
    ['an identity of a class', { identity: new Date(0) }, 'they are not JSON'],
    ['a number that is none', { amount: Number.NaN }, 'they are not JSON'],
    ['a fact of one’s own left undefined', { amount: undefined }, 'they are not JSON'],
  ])('refuses %s', (_, found, problem) => {
    expect(readFacts(found)).toEqual({ ok: false, problem });
  });

  it('gives a copy', () => {
    const found = { list: [1] };
    const read = readFacts(found);
    found.list.push(2);
    expect(read).toEqual({ ok: true, facts: { list: [1] } });
  });
});
