import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRuns } from '../../src/run/runs.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import { saysYes } from './calls.ts';
import {
  type Blow,
  type ChildConfig,
  type ChildLine,
  type Effect,
  type PointBlow,
  STALL_TIME,
} from './child.types.ts';
import { judge, type Leavings } from './judge.ts';
import type { Ordeal } from './ordeal.types.ts';
import { type Launched, launch } from './programs.ts';

/** More processes than any ordeal needs. */
const MOST_PROCESSES = 24;
/** Milliseconds after which a process is taken to hang. */
const PATIENCE = 30_000;
const RUN = 'run';

/** What an ordeal left, and what was done to it. */
export interface Aftermath extends Leavings {
  /** In the order done. */
  readonly hits: readonly Blow[];
  /** What is wrong, in words; empty when all holds. */
  readonly problems: readonly string[];
}

/** Puts a run through an ordeal in a folder of its own, and judges what is left. */
export async function undergo(program: string, ordeal: Ordeal): Promise<Aftermath> {
  const folder = mkdtempSync(join(tmpdir(), 'agenthub-crash-'));
  try {
    return await undergoIn(folder, program, ordeal);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function undergoIn(folder: string, program: string, ordeal: Ordeal): Promise<Aftermath> {
  const { blows, drivers, replies, person, approvalTime, toolTime } = ordeal;
  const database = join(folder, 'runs.db');
  const effects = join(folder, 'effects');
  const said: ChildLine[][] = [];
  const hits: Blow[] = [];
  const queue = [...blows];

  /** One seat of a driver: a process that was killed is followed by another. */
  const drive = async () => {
    while (said.length < MOST_PROCESSES) {
      const own = queue.splice(0, upToKill(queue));
      const run = { database, effects, runId: RUN };
      const config = {
        ...run,
        replies,
        person,
        approvalTime,
        toolTime,
        blows: own.filter(isPoint),
      };
      const lines: ChildLine[] = [];
      said.push(lines);
      await live(launch(program, config satisfies ChildConfig), { blows: own, lines, hits });
      if (lines.some(({ type }) => type === 'ended')) return;
      // Killed while it asked, it leaves what was meant for it to its successor.
      if (lines.some(({ type }) => type === 'asking'))
        queue.unshift(...own.filter((blow) => !hits.includes(blow)));
      // This is when an answer comes from elsewhere.
      if (person === 'nobody') await answerAll(database, ordeal);
    }
  };
  await Promise.all(Array.from({ length: drivers }, drive));

  const store = sqliteStore({ path: database });
  const [log, pending] = [await store.read(RUN), (await store.pending(RUN)).length];
  await store.close();
  const left = { said, log, effects: effectsIn(effects), pending };
  return { ...left, hits, problems: judge(left, ordeal) };
}

/** How many blows there are up to the first that kills, it included. */
function upToKill(blows: readonly Blow[]): number {
  const kill = blows.findIndex(({ does }) => does === 'kill');
  return kill < 0 ? blows.length : kill + 1;
}

const isPoint = (blow: Blow): blow is PointBlow => blow.kind !== 'time';

function effectsIn(file: string): readonly Effect[] {
  const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Effect);
}

interface Life {
  readonly blows: readonly Blow[];
  /** Takes what it says. */
  readonly lines: ChildLine[];
  /** Takes what was done to it. */
  readonly hits: Blow[];
}

/** Hears one process, and strikes it, until it ends or is killed. */
async function live(process: Launched, { blows, lines, hits }: Life): Promise<void> {
  let isOver = false;
  const strike = (blow: Blow | undefined) => {
    if (isOver || blow === undefined) return;
    hits.push(blow);
    process.signal(blow.does === 'kill' ? 'SIGKILL' : 'SIGSTOP');
    if (blow.does === 'stall') setTimeout(() => process.signal('SIGCONT'), STALL_TIME);
  };
  process.hear((told) => {
    const line = told as ChildLine;
    lines.push(line);
    if (line.type === 'ended') isOver = true;
    if (line.type === 'asking') process.signal('SIGKILL');
    if (line.type === 'stopped') strike(blows.filter(isPoint)[line.blow]);
    if (line.type !== 'ready') return;
    for (const blow of blows) if (blow.kind === 'time') setTimeout(strike, blow.ms, blow);
  });
  const hanging = setTimeout(() => {
    lines.push({ type: 'lost', code: 'hanging', message: `for ${PATIENCE} ms` });
    process.signal('SIGKILL');
  }, PATIENCE);
  const { code, errors } = await process.over;
  isOver = true;
  clearTimeout(hanging);
  if (code !== null && code !== 0) throw new Error(`The child failed with ${code}:\n${errors}`);
}

async function answerAll(database: string, { person, approvalTime }: Ordeal): Promise<void> {
  const store = sqliteStore({ path: database });
  const runs = openRuns(store, { patience: 0 });
  const by = 'eve';
  const ends = approvalTime !== null && { expiresAt: Date.now() + approvalTime };
  const { questions } = await runs.show(RUN).catch(ifUnknown);
  for (const question of questions)
    await (saysYes(question, person)
      ? runs.approve(RUN, question, { by, ...ends })
      : runs.deny(RUN, question, { by })
    ).catch(ifEnded);
  await store.close();
}

/** Killed before it was there, it asks nothing. */
function ifUnknown(thrown: { readonly code?: string }): { questions: [] } {
  if (thrown.code === 'run_unknown') return { questions: [] };
  throw thrown;
}

/** Another process may have answered, and the run ended meanwhile. */
function ifEnded(thrown: { readonly code?: string }): void {
  if (thrown.code !== 'run_ended') throw thrown;
}
