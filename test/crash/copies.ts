import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'libsql';
import { createAgent } from '../../src/run/create-agent.ts';
import { openRuns } from '../../src/run/runs.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import { planningModel, policies, type Replies, tools } from './calls.ts';
import { COPY, type CopierConfig, type CopierLine, type CopyKind, SOURCE } from './copier.types.ts';
import { launch } from './programs.ts';

/** A long run that has ended, in a database and in a file. */
export interface Original {
  readonly database: string;
  readonly file: string;
  /** Its log, each record as JSON. */
  readonly log: readonly string[];
}

/** Makes a run whose log takes several transactions to write. */
export async function makeOriginal(folder: string): Promise<Original> {
  const replies: Replies = Array.from({ length: 32 }, () => Array(6).fill('look'));
  const memory = memoryStore();
  const agent = createAgent({
    store: memory,
    model: planningModel(replies),
    tools: tools(async () => {}),
    permissions: { policies },
    limits: { turns: 40, toolCalls: 200 },
  });
  await agent.start('look at all', { runId: SOURCE }).outcome;
  const [database, file] = [join(folder, 'original.db'), join(folder, 'original.ndjson')];
  const log = await memory.read(SOURCE);
  writeFileSync(file, await openRuns(memory).export(SOURCE));
  const store = sqliteStore({ path: database });
  await store.insert(log, 'done');
  await store.close();
  return { database, file, log: log.map((record) => JSON.stringify(record)) };
}

/** What is done to a copier: killed where it says, or so many milliseconds after it is ready. */
export interface CopyTrial extends Pick<CopierConfig, 'does' | 'dieAt'> {
  readonly ms: number | null;
}

/** What a copier left. */
export interface CopyEnd {
  /** What it said at its end; null where it was killed before. */
  readonly done: Extract<CopierLine, { type: 'done' }> | null;
  /** Whether what it was doing is done. */
  readonly isWhole: boolean;
  /** What is wrong, in words; empty when all holds. */
  readonly problems: readonly string[];
}

/** Lets a process copy a run, or take it out, in a database of its own; judges what is left. */
export async function copyOnce(
  program: string,
  { database, file, log }: Original,
  { does, dieAt, ms }: CopyTrial,
): Promise<CopyEnd> {
  const folder = mkdtempSync(join(tmpdir(), 'agenthub-copies-'));
  const own = join(folder, 'runs.db');
  copyFileSync(database, own);
  try {
    const config: CopierConfig = { database: own, does, file, dieAt };
    const done = await live(program, config, ms);
    return { done, ...(await judgeCopy(own, { does, log, isDone: done !== null })) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function live(
  program: string,
  config: CopierConfig,
  ms: number | null,
): Promise<CopyEnd['done']> {
  const process = launch(program, config);
  let done: CopyEnd['done'] = null;
  process.hear((told) => {
    const line = told as CopierLine;
    if (line.type === 'done') done = line;
    else if (ms !== null) setTimeout(() => process.signal('SIGKILL'), ms);
  });
  const { code, errors } = await process.over;
  if (code !== null && code !== 0) throw new Error(`The copier failed with ${code}:\n${errors}`);
  return done;
}

interface Expected {
  readonly does: CopyKind;
  readonly log: readonly string[];
  readonly isDone: boolean;
}

async function judgeCopy(
  database: string,
  { does, log, isDone }: Expected,
): Promise<Omit<CopyEnd, 'done'>> {
  const problems: string[] = [];
  const store = sqliteStore({ path: database });
  const [source, copy] = [await recordsOf(store, SOURCE), await recordsOf(store, COPY)];
  const listed = (await store.list()).map(({ runId, records }) => `${runId} ${records}`).sort();
  await store.close();
  const isWhole = does === 'remove' ? source === null : copy !== null;
  if (isDone && !isWhole) problems.push('not done, although it was said to be');
  if (source === null ? does !== 'remove' : source.join() !== log.join())
    problems.push('the run that was there is not whole');
  // Only its start says whose it is.
  if (copy !== null && copy.slice(1).join() !== log.slice(1).join())
    problems.push(`the copy has ${copy.length} of ${log.length} records`);
  const there = [
    ...(copy ? [`${COPY} ${log.length}`] : []),
    ...(source ? [`${SOURCE} ${log.length}`] : []),
  ];
  if (listed.join() !== there.join()) problems.push(`listed: ${listed.join()}`);
  const loose = await looseAfterReopening(database);
  if (loose > 0) problems.push(`${loose} loose rows are left`);
  return { isWhole, problems };
}

async function recordsOf(
  store: ReturnType<typeof sqliteStore>,
  runId: string,
): Promise<readonly string[] | null> {
  try {
    return (await store.read(runId)).map((record) => JSON.stringify(record));
  } catch (thrown) {
    if ((thrown as { readonly code?: string }).code === 'run_unknown') return null;
    throw thrown;
  }
}

/** How many rows are nobody's once the file was opened by somebody an hour later. */
async function looseAfterReopening(database: string): Promise<number> {
  const store = sqliteStore({ path: database, now: () => Date.now() + 3_600_000 });
  let loose = looseIn(database);
  // It clears away by and by, beside its other work.
  for (let turn = 0; loose > 0 && turn < 1_000; turn += 1) {
    await nextTurn();
    await store.list();
    loose = looseIn(database);
  }
  await store.close();
  return loose;
}

function looseIn(file: string): number {
  const database = new Database(file);
  const count = (text: string) => (database.prepare(text).get() as { n: number }).n;
  const loose =
    count('SELECT count(*) AS n FROM loose_logs') +
    count('SELECT count(*) AS n FROM log WHERE run NOT IN (SELECT id FROM runs)') +
    count('SELECT count(*) AS n FROM prompts WHERE run NOT IN (SELECT id FROM runs)');
  database.close();
  return loose;
}
