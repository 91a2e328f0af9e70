import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { createAgent } from '../../src/run/create-agent.ts';
import { foldLog } from '../../src/run/fold.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import { payingAgent } from './paying-agent.ts';
import { goesOn, opening, storeFolder, storeRuns } from './store-folder.ts';

const file = storeFolder();

describe('a file that is no store of ours is refused and not changed', () => {
  const foreign = (path: string) => {
    const database = new Database(path);
    database.exec('CREATE TABLE others (x); INSERT INTO others VALUES (1)');
    database.close();
  };
  const newer = async (path: string) => {
    await storeRuns(path, ['run']);
    const database = new Database(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
  };

  it.each<[string, string, (path: string) => void | Promise<void>]>([
    ['another database', 'store_foreign', foreign],
    ['a text file', 'store_foreign', (path) => writeFileSync(path, 'not a database\n'.repeat(99))],
    ['a database of a later version', 'store_too_new', newer],
  ])('%s', async (_, code, make) => {
    await make(file());
    const before = readFileSync(file());
    expect(opening(file())).toMatchObject({ code, message: expect.stringContaining(file()) });
    expect(readFileSync(file()).equals(before)).toBe(true);
  });

  it('a folder, and a folder that is a file', () => {
    mkdirSync(file('folder'));
    expect(opening(file('folder'))).toMatchObject({ code: 'store_unavailable' });
    writeFileSync(file('text'), 'text');
    expect(opening(join(file('text'), 'sub', 'runs.db'))).toMatchObject({
      code: 'store_unavailable',
    });
    expect(readFileSync(file('text'), 'utf8')).toBe('text');
  });

  it('a path that no file can have: the driver would abort the process', () => {
    expect(opening(file('a\0b'))).toMatchObject({ code: 'store_unavailable' });
  });
});

describe('a damaged file', () => {
  const IDS = ['first', 'run', 'last'];

  /** What each run gives: its state, or the code of the error. */
  async function readAll(path: string): Promise<Record<string, string>> {
    const store = sqliteStore({ path });
    const found: Record<string, string> = {};
    for (const id of IDS)
      found[id] = await store.read(id).then(
        (log) => JSON.stringify(foldLog(log).value),
        ({ code, message }: { code: string; message: string }) => {
          expect(message).toMatch(/usable/u);
          return code;
        },
      );
    expect(await store.list()).toHaveLength(IDS.length);
    await store.close();
    return found;
  }
  const asking = '{"awaitPermission":"asking"}';

  it('whose last page is half written: what lies on it is lost, and said to be', async () => {
    await storeRuns(file(), ['first', 'run']);
    const store = sqliteStore({ path: file() });
    // So long that it fills the last pages of the file.
    const prompt = 'pay both '.repeat(2_000);
    const last = createAgent(payingAgent(store).options).start(prompt, { runId: 'last' });
    last.cancel();
    await last.outcome;
    await store.close();
    expect(existsSync(file('runs.db-wal')) && statSync(file('runs.db-wal')).size).toBeFalsy();
    truncateSync(file(), statSync(file()).size - 2_048);
    // A page may hold records of two runs: the second one's end lies there too.
    expect(await readAll(file())).toMatchObject({ first: asking, last: 'store_corrupt' });
    await goesOn(file(), 'first');
  });

  it('with garbage in the middle, not even text: the process lives, other runs are usable', async () => {
    await storeRuns(file(), IDS);
    const bytes = readFileSync(file());
    const wanted = Buffer.from('"runId":"first"');
    let damaged = 0;
    for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) {
      bytes.fill(0xff, at, at + wanted.length);
      damaged += 1;
    }
    expect(damaged).toBeGreaterThan(0);
    writeFileSync(file(), bytes);
    expect(await readAll(file())).toEqual({ first: 'log_corrupt', run: asking, last: asking });
    await goesOn(file());
  });

  it('with garbage over a whole page', async () => {
    await storeRuns(file(), IDS);
    const pages = statSync(file()).size / 4_096;
    const bytes = readFileSync(file());
    for (let page = 1; page < pages; page += 1) {
      const copy = file(`page-${page}.db`);
      const damaged = Buffer.from(bytes);
      damaged.fill(0xa5, page * 4_096, (page + 1) * 4_096);
      writeFileSync(copy, damaged);
      const said: string[] = [];
      const opened = opening(copy);
      if ('code' in opened) said.push(opened.code);
      else {
        const note = ({ code }: { code: string }) => said.push(code);
        for (const id of IDS) await opened.read(id).then(foldLog).catch(note);
        await opened.list().catch(note);
        await opened.acquire('run', { owner: 'ada', ttl: 1 }).catch(note);
        await opened.pending('run').catch(note);
        await opened.close().catch(note);
      }
      for (const code of said) expect(code).toMatch(/^(store_corrupt|log_corrupt|run_unknown)$/u);
    }
  });

  it.each([
    ['a record is missing', 'DELETE FROM log WHERE run = 1 AND seq = 2'],
    [
      'the last record is missing',
      'DELETE FROM log WHERE run = 1 AND seq = (SELECT max(seq) FROM log WHERE run = 1)',
    ],
    ['all are missing', 'DELETE FROM log WHERE run = 1'],
    ['a record is cut', 'UPDATE log SET data = substr(data, 1, 20) WHERE run = 1 AND seq = 2'],
    ['a record is no record', "UPDATE log SET data = '5' WHERE run = 1 AND seq = 2"],
    ['a record has no bytes of text', "UPDATE log SET data = x'fffe00' WHERE run = 1 AND seq = 2"],
    ['an event is none', `UPDATE log SET data = '["event",7]' WHERE run = 1 AND seq = 2`],
  ])('in the log of one run, %s: the others stay usable', async (_, change) => {
    await storeRuns(file(), IDS);
    const database = new Database(file());
    database.exec(change);
    database.close();
    expect(await readAll(file())).toEqual({ first: 'log_corrupt', run: asking, last: asking });
    await goesOn(file());
  });

  /** The files of a run that waits, as a process that dies then leaves them. */
  async function leftBehind(): Promise<void> {
    const store = sqliteStore({ path: file('alive.db') });
    const run = createAgent(payingAgent(store).options).start('pay both', { runId: 'run' });
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      await run.saved();
      for (const part of ['', '-wal']) copyFileSync(file(`alive.db${part}`), `${file()}${part}`);
      await run.close();
    }
    await store.close();
  }

  it('with a journal left behind by a process that died: taken up', async () => {
    await leftBehind();
    expect(statSync(file('runs.db-wal')).size).toBeGreaterThan(10_000);
    await goesOn(file());
  });

  it('with a torn end of the journal: whole up to the last full write', async () => {
    await leftBehind();
    truncateSync(file('runs.db-wal'), statSync(file('runs.db-wal')).size - 2_048);
    await goesOn(file());
  });
});
