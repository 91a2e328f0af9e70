import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { foldLog } from '../../src/run/fold.ts';
import { openRuns } from '../../src/run/runs.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import type { LogRecord } from '../../src/run/store/store.types.ts';
import type { ChildConfig, ChildLine, StopPoint } from './child.types.ts';

/** When one process of a run is killed: at a point, or so many milliseconds after it is ready. */
export type Kill = StopPoint | { readonly kind: 'time'; readonly ms: number };

/** One run and everything that is done to it. */
export interface Ordeal {
  /** A kill per process, in order; the last process is left alone. */
  readonly kills: readonly Kill[];
  readonly safeToRepeat: boolean;
  readonly person: ChildConfig['person'];
}

/** More processes than any ordeal needs. */
const MOST_PROCESSES = 12;
const RUN = 'run';

/** Bundles a program of this folder to run with plain node; gives its path. */
export async function bundle(name: string): Promise<string> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const outfile = join(root, 'dist', 'crash', `${name}-${process.pid}.mjs`);
  mkdirSync(join(root, 'dist', 'crash'), { recursive: true });
  await build({
    entryPoints: [fileURLToPath(new URL(`./${name}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['libsql', 'sharp'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return outfile;
}

/** A program of this folder that is running. */
function launch(program: string, config: unknown) {
  const child: ChildProcess = spawn(process.execPath, [program, JSON.stringify(config)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const over = new Promise<{ code: number | null; errors: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, errors })),
  );
  return { lines, over, kill: () => child.kill('SIGKILL') };
}

/** Runs one process of an ordeal until it ends or is killed; gives all it said. */
async function live(program: string, config: ChildConfig, kill: Kill | null): Promise<ChildLine[]> {
  const said: ChildLine[] = [];
  const process = launch(program, config);
  process.lines.on('line', (text) => {
    const line = JSON.parse(text) as ChildLine;
    said.push(line);
    if (line.type === 'ready' && kill?.kind === 'time') setTimeout(process.kill, kill.ms);
    if (line.type === 'stopped' || line.type === 'asking') process.kill();
  });
  const { code, errors } = await process.over;
  if (code !== null && code !== 0) throw new Error(`The child failed with ${code}:\n${errors}`);
  return said;
}

/** What an ordeal left. */
export interface Aftermath {
  readonly said: readonly (readonly ChildLine[])[];
  readonly log: readonly LogRecord[];
  readonly effects: readonly string[];
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
  const { kills, safeToRepeat, person } = ordeal;
  const [database, effects] = [join(folder, 'runs.db'), join(folder, 'effects')];
  const said: ChildLine[][] = [];
  let next = 0;
  while (said.length < MOST_PROCESSES) {
    const kill = kills[next] ?? null;
    const stopAt = kill?.kind === 'time' ? null : kill;
    const config = { database, effects, runId: RUN, safeToRepeat, person, stopAt };
    const lines = await live(program, config, kill);
    said.push(lines);
    if (lines.some(({ type }) => type === 'ended')) break;
    // No process is alive now: this is when an answer comes from elsewhere.
    if (lines.some(({ type }) => type === 'asking')) await answerAll(database);
    else next += 1;
  }
  const store = sqliteStore({ path: database });
  const log = await store.read(RUN);
  await store.close();
  const written = readFileSync(effects, { encoding: 'utf8', flag: 'a+' }).split('\n');
  const left = { said, log, effects: written.filter((line) => line !== '') };
  return { ...left, problems: judge(left, ordeal) };
}

async function answerAll(database: string): Promise<void> {
  const store = sqliteStore({ path: database });
  const runs = openRuns(store, { patience: 0 });
  const { questions } = await runs.show(RUN);
  for (const question of questions) await runs.approve(RUN, question, { by: 'eve' });
  await store.close();
}

/** Everything that must hold whatever was done to a run. */
function judge(left: Omit<Aftermath, 'problems'>, ordeal: Ordeal): string[] {
  return [
    ...judgeEnd(left),
    ...left.said.flatMap((lines) => judgeAcknowledged(lines, left.log)),
    ...judgeEffects(left, ordeal),
  ];
}

function judgeEnd({ said, log }: Omit<Aftermath, 'problems'>): string[] {
  const last = said.at(-1)?.find((line) => line.type === 'ended');
  if (last === undefined) return ['the run did not end'];
  const { rest, messages } = foldLog(log).context;
  const problems: string[] = [];
  if (rest?.status !== 'done') problems.push(`the log ends ${rest?.status}`);
  if (last.status !== 'ended' && last.status !== 'done') problems.push(`it ended ${last.status}`);
  if (last.status === 'done' && JSON.stringify(messages) !== JSON.stringify(last.messages))
    problems.push('the outcome is not what the log folds to');
  const observed = messages.flatMap((entry) =>
    entry.role === 'observation' ? [entry.callId] : [],
  );
  if (observed.join() !== '1.0,1.1') problems.push(`observations: ${observed.join()}`);
  return problems;
}

/** What was acknowledged is in the log, where it was said to be. */
function judgeAcknowledged(lines: readonly ChildLine[], log: readonly LogRecord[]): string[] {
  const stored = log.flatMap((record) => (record.kind === 'event' ? [record.event.type] : []));
  const lost = lines.find(
    (line) =>
      line.type === 'acked' &&
      line.events.some((type, index) => stored[line.base + index] !== type),
  );
  return lost === undefined ? [] : [`lost although acknowledged: ${JSON.stringify(lost)}`];
}

/** A tool starts once, and again only if it is safe to repeat or a person granted that. */
function judgeEffects(
  { log, effects }: Omit<Aftermath, 'problems'>,
  { safeToRepeat, person }: Ordeal,
): string[] {
  const { messages } = foldLog(log).context;
  const problems: string[] = [];
  for (const [callId, text] of [
    ['1.0', 'a'],
    ['1.1', 'b'],
  ]) {
    const starts = effects.filter((line) => line.startsWith(`${text} `));
    const repeats = log.filter(
      (record) =>
        record.kind === 'event' &&
        record.event.type === 'permission.grant' &&
        record.event.callId === callId &&
        (record.event.approvals as string[]).includes('repeat'),
    ).length;
    const observation = messages.find(
      (entry) => entry.role === 'observation' && entry.callId === callId,
    );
    const outcome = observation?.role === 'observation' ? observation.outcome : '';
    if (!safeToRepeat && starts.length > 1 + repeats)
      problems.push(`${text} took effect ${starts.length} times, ${repeats} granted`);
    if (!safeToRepeat && new Set(starts).size < starts.length)
      problems.push(`${text} started twice under one key`);
    if (safeToRepeat && repeats > 0) problems.push('a repeat that is safe was asked about');
    if (outcome === 'ok' && starts.length === 0) problems.push(`${text} is ok without an effect`);
    if (outcome !== 'ok' && (outcome !== 'unknown' || person !== 'denies repeats'))
      problems.push(`${text} ended ${outcome}`);
  }
  return problems;
}

/** Works on all entries, so many at a time; results in order. */
export async function inParallel<Entry, Result>(
  entries: readonly Entry[],
  width: number,
  work: (entry: Entry) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < entries.length; index = next++)
      results[index] = await work(entries[index] as Entry);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
