import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomFrom } from '../random.ts';
import { plannedCalls } from './calls.ts';
import type { CopyKind } from './copier.types.ts';
import { copyOnce, makeOriginal } from './copies.ts';
import { type Aftermath, undergo } from './harness.ts';
import type { Ordeal } from './ordeal.types.ts';
import { randomOrdeals } from './plan.ts';
import { bundle } from './programs.ts';

/** How much was seen of what. */
class Tally {
  readonly #counts = new Map<string, number>();

  add(what: string, more = 1): void {
    this.#counts.set(what, this.of(what) + more);
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  print(): void {
    for (const [what, count] of [...this.#counts].sort()) console.log(`${what}: ${count}`);
  }
}

async function main([seed = Date.now() % 1_000_000, kills = 500]: number[]): Promise<number> {
  console.log(`seed ${seed}, ${kills} kills of drivers and ${copiesFor(kills)} of copiers`);
  const random = randomFrom(seed);
  const tally = new Tally();
  await driveAll(kills, { random, tally });
  await copyAll(copiesFor(kills), { random, tally });
  tally.print();
  const failed = tally.of('failed');
  console.log(`${failed} failed`);
  return failed === 0 ? 0 : 1;
}

const copiesFor = (kills: number): number => Math.ceil(kills / 5);

interface Trials {
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly tally: Tally;
}

/** Does one thing after the other, three at a time, until there is enough. */
async function untilEnough(work: () => Promise<void>, isEnough: () => boolean): Promise<void> {
  const worker = async () => {
    while (!isEnough()) await work();
  };
  await Promise.all([worker(), worker(), worker()]);
}

function report(what: object, problems: readonly string[], tally: Tally): void {
  if (problems.length === 0) return;
  tally.add('failed');
  console.log(JSON.stringify({ ...what, problems }));
}

/** Puts runs through ordeals until so many of their drivers were killed. */
async function driveAll(kills: number, { random, tally }: Trials): Promise<void> {
  const program = await bundle('child');
  const ordeals = randomOrdeals(random);
  const work = async () => {
    const ordeal = ordeals.next().value;
    const left = await undergo(program, ordeal);
    countRun(ordeal, left, tally);
    report({ ordeal }, left.problems, tally);
    if (tally.of('runs') % 50 === 0)
      console.log(`${tally.of('runs')} runs, ${tally.of('drivers killed')} drivers killed`);
  };
  try {
    await untilEnough(work, () => tally.of('drivers killed') >= kills);
  } finally {
    rmSync(program, { force: true });
  }
}

function countRun(
  { drivers, replies, person }: Ordeal,
  { hits, said, effects, log }: Aftermath,
  tally: Tally,
): void {
  tally.add('runs');
  tally.add(`runs that ${drivers} want to drive`);
  tally.add(`runs whose person ${person === 'nobody' ? 'is elsewhere' : person}`);
  for (const { does } of hits) tally.add(`drivers ${does === 'kill' ? 'killed' : 'stalled'}`);
  for (const tools of replies) tally.add(`replies of ${tools.length} calls`);
  tally.add('calls', plannedCalls(replies).length);
  tally.add('starts of tools', effects.length);
  tally.add('intents', log.filter(({ kind }) => kind === 'intent').length);
  const isGrant = (approvals?: unknown) => Array.isArray(approvals) && approvals.includes('repeat');
  const grants = log.filter((record) => record.kind === 'event' && isGrant(record.event.approvals));
  tally.add('repeats granted', grants.length);
  for (const line of said.flat()) {
    if (line.type === 'answered') tally.add('answers acknowledged');
    if (line.type === 'lost') tally.add('leases lost');
  }
}

/** Lets processes copy runs, and take them out, until so many of them were killed. */
async function copyAll(kills: number, { random, tally }: Trials): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'agenthub-original-'));
  const program = await bundle('copier');
  try {
    const original = await makeOriginal(folder);
    const calm = { does: 'import', dieAt: null, ms: null } as const;
    const { ms: longest = 0 } = (await copyOnce(program, original, calm)).done ?? {};
    const kinds: readonly CopyKind[] = ['import', 'fork', 'remove'];
    const work = async () => {
      const does = kinds[Math.floor(random() * kinds.length)] ?? 'import';
      const trial = { does, dieAt: null, ms: random() * longest * 1.5 };
      const { done, isWhole, problems } = await copyOnce(program, original, trial);
      if (done === null) tally.add('copiers killed');
      tally.add(`${does}: ${isWhole ? 'whole' : 'not there'}`);
      report({ trial }, problems, tally);
    };
    await untilEnough(work, () => tally.of('copiers killed') >= kills);
  } finally {
    rmSync(program, { force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Kills and stalls at random points: `npm run test:crash -- [seed] [kills]`. */
process.exitCode = await main(process.argv.slice(2).map(Number));
