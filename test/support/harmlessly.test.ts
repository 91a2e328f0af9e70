import { expect, it } from 'vitest';
import { harmlessly } from '../../src/support/harmlessly.ts';
import { unheardRejections } from './unheard-rejections.ts';

it.each([
  ['throws', () => JSON.parse('{')],
  ['rejects', () => Promise.reject(new Error('no'))],
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library's.
  ['rejects in another library’s promise', () => ({ then: (_: unknown, no: () => void) => no() })],
  ['cannot be looked at', () => Object.defineProperty({}, 'then', { get: () => JSON.parse('{') })],
])('a callback that %s harms nothing', async (_, callback) => {
  let isCalled = false;
  const unheard = await unheardRejections(async () =>
    harmlessly(() => {
      isCalled = true;
      return callback();
    }),
  );
  expect([isCalled, unheard]).toEqual([true, []]);
});
