import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { cli } from '../../src/cli/program.ts';
import { rememberStore } from '../../src/cli/trust/known-stores.ts';
import type { AgentOptions } from '../../src/run/agent.types.ts';
import type { Run } from '../../src/run/run.types.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import type { ScriptedStep } from '../../src/testing/scripted-model.ts';
import { scriptedAgent } from '../run/support.ts';
import { type FakeIoOptions, fakeIo } from './fake-io.ts';
import { pictureFolder, USER_CONFIG } from './temporary.ts';

/** The database of a working folder. */
export const databaseOf = (cwd: string) => join(cwd, '.agenthub', 'runs.db');

/** Runs the command line in a folder, in English unless told otherwise, at the present time. */
export async function agenthub(cwd: string, args: readonly string[], options: FakeIoOptions = {}) {
  const person = fakeIo({ cwd, time: Date.now(), ...options });
  const exitCode = await cli(args, person.io);
  return { exitCode, out: person.out(), err: person.err() };
}

/** The same with `--json`: what it printed, as data. */
export async function asJson(cwd: string, args: readonly string[], options: FakeIoOptions = {}) {
  const { exitCode, out, err } = await agenthub(cwd, [...args, '--json'], options);
  return { exitCode, err, json: out === '' ? null : JSON.parse(out) };
}

export interface ScriptedRun {
  readonly id: string;
  readonly options?: Partial<AgentOptions>;
  /** What a person does at every question, with the run still driven. */
  readonly atQuestion?: (run: Run) => unknown;
  readonly prompt?: string;
  /** Whether the database counts as made by the tests' person. Default true. */
  readonly isOwn?: boolean;
}

/** Puts a run into a folder's database with the library, and lets go of it where it comes to rest. */
export async function storeRun(cwd: string, steps: readonly ScriptedStep[], scripted: ScriptedRun) {
  const {
    id,
    options = {},
    atQuestion = (run) => run.close(),
    prompt = 'task',
    isOwn = true,
  } = scripted;
  const store = sqliteStore({ path: databaseOf(cwd) });
  if (isOwn)
    await rememberStore(databaseOf(cwd), { by: 'made', env: { XDG_CONFIG_HOME: USER_CONFIG } });
  const { agent } = scriptedAgent(steps, { ...options, store });
  const run = agent.start(prompt, { runId: id });
  for await (const event of run)
    if (event.type === 'permission.requested') {
      await run.saved();
      await atQuestion(run);
    }
  await run.close();
  await store.close();
}

/** Text without its times of day. */
export function timeless(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/gu, 'TIME');
}

/** A task that wants to overwrite a picture. */
export const TASK = 'Resize photo.png to 32 px wide and save it as small.png';
/** A person who reads Chinese. */
export const zh = { env: { LANG: 'zh_CN.UTF-8' } };
/** A policy that asks before every note. */
export const asks = { permissions: { policies: { note: 'ask' as const } } };

/** A folder in which a run waits for permission to overwrite, and the run's id. */
export async function waiting() {
  const cwd = await pictureFolder('photo.png', 'small.png');
  const { json } = await asJson(cwd, ['run', TASK, '--on-ask', 'wait']);
  return { cwd, id: json.runId as string };
}

/** The words that approve what a run asks now, as `show` prints them. */
export async function approval(cwd: string, id: string, options: FakeIoOptions = {}) {
  const { out } = await agenthub(cwd, ['show', id], options);
  const command = /^ {2}agenthub (approve \S+ \S+ --shown [0-9a-f]{12})/mu.exec(out)?.[1] ?? '';
  return command.split(' ');
}

/** How wide the picture is that the task would overwrite. */
export async function widthIn(cwd: string): Promise<number> {
  return (await sharp(await readFile(join(cwd, 'small.png'))).metadata()).width;
}
