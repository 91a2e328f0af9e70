import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../random.ts';
import type { Blow, ChildLine } from './child.types.ts';
import { undergo } from './harness.ts';
import type { Ordeal } from './ordeal.types.ts';
import { CALM, randomOrdeals } from './plan.ts';
import { bundle, inParallel } from './programs.ts';

let program = '';
let calm: Extract<ChildLine, { type: 'ended' }>;

beforeAll(async () => {
  program = await bundle('child');
  const { said, problems } = await undergo(program, CALM);
  expect(problems).toEqual([]);
  calm = said[0]?.find((line) => line.type === 'ended') as typeof calm;
}, 60_000);
afterAll(() => rmSync(program, { force: true }));

function ordeal(part: Partial<Ordeal>): Ordeal {
  return { ...CALM, ...part };
}

/** Puts a run through each ordeal; what went wrong, with the ordeal. */
async function problemsOf(ordeals: readonly Ordeal[]): Promise<unknown[]> {
  const left = await inParallel(ordeals, 3, async (given) => ({
    given,
    ...(await undergo(program, given)),
  }));
  // A blow that never came proves nothing.
  for (const { given, hits } of left) expect({ given, hits }).toEqual({ given, hits: given.blows });
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
    const ordeals = states.map((state) =>
      ordeal({ blows: [{ kind: 'state', state, does: 'kill' }] }),
    );
    expect(await problemsOf(ordeals)).toEqual([]);
  });

  it('before or after each write; npm run test:crash does both', async () => {
    expect(calm.writes).toBeGreaterThanOrEqual(8);
    const ordeals = Array.from({ length: calm.writes }, (_, index) => {
      const when = index % 2 === 0 ? 'after' : 'before';
      return ordeal({ blows: [{ kind: 'write', write: index + 1, when, does: 'kill' }] });
    });
    expect(await problemsOf(ordeals)).toEqual([]);
  });

  it('inside a tool: granted again, not granted again, safe to repeat', async () => {
    const blows: Blow[] = [{ kind: 'tool', callId: '1.0', when: 'after', does: 'kill' }];
    const ordeals = [
      ordeal({ blows }),
      ordeal({ blows: [{ kind: 'tool', callId: '1.1', when: 'before', does: 'kill' }] }),
      ordeal({ blows, person: 'denies repeats' }),
      ordeal({ blows, replies: [['draft', 'draft']] }),
    ];
    expect(await problemsOf(ordeals)).toEqual([]);
  });

  it('with the answers given while no process was alive', async () => {
    const blows: Blow[] = [{ kind: 'tool', callId: '1.1', when: 'after', does: 'kill' }];
    const ordeals = [[], blows].map((each) => ordeal({ blows: each, person: 'nobody' }));
    expect(await problemsOf(ordeals)).toEqual([]);
  });
});

describe('a driver that is stopped for longer than its lease', { timeout: 120_000 }, () => {
  const moments = [
    { kind: 'state', state: 'awaitPermission.asking' },
    { kind: 'state', state: 'execute' },
    { kind: 'tool', callId: '1.0', when: 'before' },
    { kind: 'tool', callId: '1.1', when: 'after' },
  ] as const;

  it.each([
    ['takes the run up itself when it wakes', 1],
    ['finds that another process has taken it over', 2],
  ])('%s', async (_, drivers) => {
    const ordeals = moments.map((moment) =>
      ordeal({ drivers, blows: [{ ...moment, does: 'stall' }] }),
    );
    const left = await inParallel(ordeals, 2, (given) => undergo(program, given));
    expect(left.flatMap(({ problems }) => problems)).toEqual([]);
    // Of several drivers, the other one may have the run; one alone is stopped each time.
    if (drivers === 1)
      expect(left.map(({ hits }) => hits)).toEqual(ordeals.map(({ blows }) => blows));
  });
});

it('random runs of up to six calls a reply, killed and stopped, with up to three drivers', {
  timeout: 120_000,
}, async () => {
  const source = randomOrdeals(randomFrom(11));
  const ordeals = Array.from({ length: 6 }, () => source.next().value);
  const left = await inParallel(ordeals, 3, async (given) => ({
    given,
    problems: (await undergo(program, given)).problems,
  }));
  expect(left.filter(({ problems }) => problems.length > 0)).toEqual([]);
});
