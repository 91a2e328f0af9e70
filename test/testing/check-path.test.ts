import { describe, expect, it } from 'vitest';
import {
  always,
  CALLS,
  checkPath,
  checkProperties,
  createReplay,
  eventually,
  FACTS,
  granted,
  isIn,
  never,
  ONE_CALL_WORLD,
  onlyAfter,
  type Property,
  starts,
} from '../../src/testing/index.ts';

/** The shortest path that breaks a property, walked by a live actor. */
async function walkedBreak(property: Property, world = ONE_CALL_WORLD) {
  const { counterexample } = checkProperties(world, [property]).results[0] ?? {};
  if (!counterexample) throw new Error('it holds');
  const { path, problem } = counterexample;
  return { path, snapshots: await createReplay(world)(path), problem };
}

const onlyGranted = onlyAfter('granted', starts(), granted());

describe('checkPath says of a counterexample what the search said', () => {
  it.each([
    never('no start', starts()),
    always('no execute', 'execute is not entered', (snapshot) => !isIn(snapshot, 'execute')),
    onlyGranted,
  ])('$id', async (property) => {
    const { problem, ...walked } = await walkedBreak(property);
    expect(checkPath(property, walked)).toEqual([problem]);
  });

  it('a goal that is never met', async () => {
    const property = eventually('done', 'the run is done', (snapshot) => isIn(snapshot, 'done'));
    const { problem: _, ...walked } = await walkedBreak(property);
    expect(checkPath(property, walked)).toEqual([
      'never on this path: Eventually: the run is done.',
    ]);
  });
});

it('checkPath remembers what came before: a start after its grant breaks nothing', async () => {
  const asking = { ...ONE_CALL_WORLD, calls: [CALLS.image], facts: [FACTS.overwrite] };
  const { problem: _, ...walked } = await walkedBreak(never('no start', starts()), asking);
  expect(walked.path.map(({ type }) => type)).toContain('permission.grant');
  expect(checkPath(onlyGranted, walked)).toEqual([]);
});
