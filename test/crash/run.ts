import { rmSync } from 'node:fs';
import { randomFrom } from '../random.ts';
import type { ChildLine } from './child.types.ts';
import { bundle, inParallel, type Kill, type Ordeal, undergo } from './harness.ts';

/** Kills at random points: `npm run test:crash -- [seed] [points]`. */
process.exitCode = await main(process.argv.slice(2).map(Number));

async function main([seed = Date.now() % 1_000_000, points = 500]: number[]): Promise<number> {
  console.log(`seed ${seed}, ${points} kill points`);
  const random = randomFrom(seed);
  const program = await bundle('child');
  try {
    const ordeals = await ordealsOf(program, { points, random });
    let done = 0;
    let kills = 0;
    const failures = await inParallel(ordeals, 3, async (ordeal) => {
      const { said, problems } = await undergo(program, ordeal);
      kills += said.length - 1;
      done += 1;
      if (done % 50 === 0) console.log(`${done} runs, ${kills} kills`);
      if (problems.length === 0) return 0;
      console.log(JSON.stringify({ ordeal, problems }));
      return 1;
    });
    const failed = failures.reduce<number>((sum, one) => sum + one, 0);
    console.log(`${ordeals.length} runs, ${points} kill points, ${kills} kills: ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    rmSync(program, { force: true });
  }
}

interface Chance {
  readonly points: number;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** Runs with one to three kills each, until there are so many points in all. */
async function ordealsOf(program: string, { points, random }: Chance): Promise<Ordeal[]> {
  const { said } = await undergo(program, { kills: [], safeToRepeat: false, person: 'grants' });
  const calm = said[0]?.find((line) => line.type === 'ended') as Extract<
    ChildLine,
    { type: 'ended' }
  >;
  const among = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  const whens = ['before', 'after'] as const;
  const kill = (): Kill => {
    const kind = among(['write', 'write', 'state', 'tool', 'time'] as const);
    if (kind === 'write')
      return { kind, write: 1 + Math.floor(random() * calm.writes), when: among(whens) };
    if (kind === 'state') return { kind, state: among(calm.states) };
    if (kind === 'tool') return { kind, text: among(['a', 'b']), when: among(whens) };
    return { kind, ms: Math.floor(random() * 60) };
  };
  const ordeals: Ordeal[] = [];
  let left = points;
  while (left > 0) {
    const count = Math.min(left, 1 + Math.floor(random() * 3));
    left -= count;
    ordeals.push({
      kills: Array.from({ length: count }, kill),
      safeToRepeat: random() < 0.25,
      person: among(['grants', 'grants', 'denies repeats', 'nobody'] as const),
    });
  }
  return ordeals;
}
