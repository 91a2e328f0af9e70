import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DeathPoint } from './copier.types.ts';
import { copyOnce, makeOriginal, type Original } from './copies.ts';
import { bundle, inParallel } from './programs.ts';

let program = '';
let folder = '';
let original: Original;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agenthub-original-'));
  [program, original] = await Promise.all([bundle('copier'), makeOriginal(folder)]);
}, 120_000);
afterAll(() => {
  rmSync(program, { force: true });
  rmSync(folder, { recursive: true, force: true });
});

it('the run that is copied has a log of several transactions', () => {
  expect(original.log.length).toBeGreaterThan(400);
});

it.each([
  ['import', { clock: 5, store: 1 }],
  ['fork', { clock: 5, store: 2 }],
  ['remove', { clock: 2, store: 2 }],
] as const)(
  '%s is whole or not at all, wherever its process dies',
  async (does, least) => {
    const calm = await copyOnce(program, original, { does, dieAt: null, ms: null });
    expect(calm).toMatchObject({ isWhole: true, problems: [] });
    const { clock = 0, store = 0 } = calm.done ?? {};
    expect(clock).toBeGreaterThanOrEqual(least.clock);
    expect(store).toBeGreaterThanOrEqual(least.store);

    const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    const points: DeathPoint[] = [
      ...upTo(clock).map((call) => ({ kind: 'clock' as const, call })),
      ...upTo(store).map((call) => ({ kind: 'store' as const, call, when: 'before' as const })),
      { kind: 'store', call: store, when: 'after' },
    ];
    const ends = await inParallel(points, 3, async (dieAt) => ({
      dieAt,
      ...(await copyOnce(program, original, { does, dieAt, ms: null })),
    }));
    expect(ends.filter(({ problems }) => problems.length > 0)).toEqual([]);
    // Each was killed, and only the last had done it by then.
    expect(ends.map(({ done }) => done)).toEqual(points.map(() => null));
    expect(ends.map(({ isWhole }) => isWhole)).toEqual(
      points.map((_, at) => at === points.length - 1),
    );
  },
  60_000,
);
