import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChildLine } from './child.types.ts';
import { bundle, inParallel, type Kill, type Ordeal, undergo } from './harness.ts';

let program = '';
let calm: Extract<ChildLine, { type: 'ended' }>;

beforeAll(async () => {
  program = await bundle('child');
  const { said, problems } = await undergo(program, ordeal({ kills: [] }));
  expect(problems).toEqual([]);
  calm = said[0]?.find((line) => line.type === 'ended') as typeof calm;
}, 60_000);
afterAll(() => rmSync(program, { force: true }));

function ordeal(part: Partial<Ordeal>): Ordeal {
  return { kills: [], safeToRepeat: false, person: 'grants', ...part };
}

/** Puts a run through each ordeal; what went wrong, with the ordeal. */
async function problemsOf(ordeals: readonly Ordeal[]): Promise<unknown[]> {
  const left = await inParallel(ordeals, 3, async (given) => ({
    given,
    ...(await undergo(program, given)),
  }));
  // A kill that never came proves nothing.
  for (const { given, said } of left) {
    const killed = said.filter((lines) => lines.some(({ type }) => type === 'stopped')).length;
    expect({ given, killed }).toEqual({ given, killed: given.kills.length });
  }
  return left.flatMap(({ given, problems }) => (problems.length > 0 ? [{ given, problems }] : []));
}

describe('a run with two calls and an approval, killed with SIGKILL', { timeout: 120_000 }, () => {
  it('at every state', async () => {
    // What is passed by within one event is left to npm run test:crash.
    const states = [...new Set(calm.states)].filter(
      (state) => !/(checking|routing|deciding|reviewing)$/u.test(state),
    );
    for (const state of ['callModel.working', 'awaitPermission.asking', 'execute', 'done'])
      expect(states).toContain(state);
    const kills = states.map((state): Kill => ({ kind: 'state', state }));
    expect(await problemsOf(kills.map((kill) => ordeal({ kills: [kill] })))).toEqual([]);
  });

  it('before or after each write; npm run test:crash does both', async () => {
    expect(calm.writes).toBeGreaterThanOrEqual(8);
    const kills = Array.from({ length: calm.writes }, (_, index): Kill => {
      const when = index % 2 === 0 ? 'after' : 'before';
      return { kind: 'write', write: index + 1, when };
    });
    expect(await problemsOf(kills.map((kill) => ordeal({ kills: [kill] })))).toEqual([]);
  });

  it('inside a tool: granted again, not granted again, safe to repeat', async () => {
    const kills: Kill[] = [{ kind: 'tool', text: 'a', when: 'after' }];
    const ordeals = [
      ordeal({ kills }),
      ordeal({ kills: [{ kind: 'tool', text: 'b', when: 'before' }] }),
      ordeal({ kills, person: 'denies repeats' }),
      ordeal({ kills, safeToRepeat: true }),
    ];
    expect(await problemsOf(ordeals)).toEqual([]);
  });

  it('with the answers given while no process was alive', async () => {
    const kills: (readonly Kill[])[] = [[], [{ kind: 'tool', text: 'b', when: 'after' }]];
    const ordeals = kills.map((each) => ordeal({ kills: each, person: 'nobody' }));
    expect(await problemsOf(ordeals)).toEqual([]);
  });
});
