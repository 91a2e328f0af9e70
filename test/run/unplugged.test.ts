import { execFileSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from '../../src/run/create-agent.ts';
import { foldLog } from '../../src/run/fold.ts';
import { storeError } from '../../src/run/store/sqlite-errors.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import { approveAll, payingAgent } from './history-world.ts';

let folder = '';
let mounted: string[] = [];
const unhandled: unknown[] = [];
const keep = (thrown: unknown) => unhandled.push(thrown);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthub-unplugged-'));
  process.on('unhandledRejection', keep);
});
afterEach(() => {
  for (const place of mounted) execFileSync('umount', ['-l', place]);
  mounted = [];
  rmSync(folder, { recursive: true, force: true });
  process.off('unhandledRejection', keep);
  expect(unhandled).toEqual([]);
});

const file = (name = 'runs.db') => join(folder, name);

/** A small file system of its own, where this machine lets us have one. */
function mount(size: string): string {
  const place = file('disk');
  mkdirSync(place);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', place], { stdio: 'ignore' });
  mounted.push(place);
  return place;
}

const canMount = (() => {
  const place = mkdtempSync(join(tmpdir(), 'agenthub-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', place], { stdio: 'ignore' });
    execFileSync('umount', [place]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
})();

/** Drives runs to where they wait for a person, and lets go of them. */
async function storeRuns(path: string, ids: readonly string[]): Promise<void> {
  const store = sqliteStore({ path });
  for (const runId of ids) {
    const run = createAgent(payingAgent(store).options).start('pay both', { runId });
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      await run.saved();
      await run.close();
    }
  }
  await store.close();
}

/** A run that waits for a person, with what `unplug` does before the person says yes. */
async function unplugged(path: string, unplug: () => void) {
  const store = sqliteStore({ path });
  const { options, effects } = payingAgent(store);
  const run = createAgent(options).start('pay both', { runId: 'run' });
  for await (const event of run) {
    if (event.type !== 'permission.requested') continue;
    await run.saved();
    unplug();
    for (const { callId } of event.questions) run.approve(callId);
    await expect(run.saved()).rejects.toThrow();
  }
  const outcome = await run.outcome;
  await store.close().catch(() => {});
  return { outcome, effects };
}

/** The run goes on from what was stored, as if nothing had been. */
async function goesOn(path: string, runId = 'run'): Promise<void> {
  const store = sqliteStore({ path, now: () => Date.now() + 3_600_000 });
  const { options, effects } = payingAgent(store);
  const run = await createAgent(options).restore(runId);
  expect(await approveAll(run)).toMatchObject({ status: 'done', answer: 'paid' });
  expect(effects).toEqual([`a ${runId}/1.0/1`, `b ${runId}/1.1/1`]);
  await store.close();
}

const opening = (path: string) => {
  try {
    return sqliteStore({ path });
  } catch (thrown) {
    return thrown as { code: string; message: string };
  }
};

describe('pulled away while it is in use: nothing takes effect that is not stored', () => {
  it.each<[string, string, () => void, () => void]>([
    [
      'the file is removed',
      'was removed',
      () => renameSync(file(), file('aside.db')),
      () => renameSync(file('aside.db'), file()),
    ],
    [
      'the file is replaced',
      'was replaced',
      () => {
        renameSync(file(), file('aside.db'));
        copyFileSync(file('aside.db'), file());
      },
      () => renameSync(file('aside.db'), file()),
    ],
    [
      'its journal is removed',
      'was removed',
      () => renameSync(file('runs.db-wal'), file('aside')),
      () => renameSync(file('aside'), file('runs.db-wal')),
    ],
  ])('%s', async (_, words, unplug, putBack) => {
    const { outcome, effects } = await unplugged(file(), unplug);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'store_unavailable' } });
    expect(outcome.status === 'failed' && outcome.error.message).toContain(words);
    expect(outcome.status === 'failed' && outcome.error.message).toContain('Put the file back');
    expect(effects).toEqual([]);
    putBack();
    await goesOn(file());
  });

  it.runIf(canMount)('the disk is read-only (a bind mount)', async () => {
    await storeRuns(join(folder, 'rw', 'runs.db'), ['run']);
    mkdirSync(file('ro'));
    execFileSync('mount', ['--bind', file('rw'), file('ro')]);
    mounted.push(file('ro'));
    const path = join(file('ro'), 'runs.db');
    const remount = (how: string) =>
      execFileSync('mount', ['-o', `remount,bind,${how}`, file('ro')]);

    remount('ro');
    const before = readFileSync(path);
    const store = sqliteStore({ path });
    const { options, effects } = payingAgent(store);
    // Looking is possible, and nothing else.
    expect(await store.list()).toMatchObject([{ runId: 'run', status: 'waiting' }]);
    expect(foldLog(await store.read('run')).value).toEqual({ awaitPermission: 'asking' });
    const refused = { code: 'store_readonly', message: expect.stringContaining('permission') };
    await expect(createAgent(options).restore('run')).rejects.toMatchObject(refused);
    await expect(store.post('run', { type: 'run.cancel', by: 'ada', at: 1 })).rejects.toMatchObject(
      refused,
    );
    expect(await createAgent(options).start('pay both').outcome).toMatchObject({
      status: 'failed',
      error: refused,
    });
    await store.close().catch(() => {});
    expect(effects).toEqual([]);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(opening(join(file('ro'), 'new.db'))).toMatchObject({ code: 'store_unavailable' });
    await goesOn(join(folder, 'rw', 'runs.db'));
  });

  it.runIf(canMount)('the disk is full (a tmpfs of 256 kB)', async () => {
    const place = mount('256k');
    const filler = join(place, 'filler');
    const { outcome, effects } = await unplugged(join(place, 'runs.db'), () => {
      const file = openSync(filler, 'w');
      // As much as there is room for, to the last byte.
      for (const size of [4096, 1])
        try {
          for (;;) writeSync(file, Buffer.alloc(size));
        } catch {
          // Full.
        }
      closeSync(file);
    });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'store_full' } });
    expect(outcome.status === 'failed' && outcome.error.message).toContain('Make room');
    expect(effects).toEqual([]);
    rmSync(filler);
    await goesOn(join(place, 'runs.db'));
  });

  it.each([
    ['SQLITE_FULL', 'database or disk is full', 'store_full', 'Make room'],
    ['SQLITE_READONLY', 'attempt to write a readonly database', 'store_readonly', 'permission'],
    ['SQLITE_READONLY_DBMOVED', 'readonly', 'store_readonly', 'permission'],
    ['SQLITE_BUSY', 'database is locked', 'store_busy', 'Try again'],
    ['SQLITE_CORRUPT', 'database disk image is malformed', 'store_corrupt', '.recover'],
    ['SQLITE_IOERR_SHORT_READ', 'disk I/O error', 'store_corrupt', '.recover'],
    ['SQLITE_IOERR_WRITE', 'disk I/O error', 'store_failed', 'Check the disk'],
    ['SQLITE_NOTADB', 'file is not a database', 'store_foreign', 'name another file'],
    ['SQLITE_CANTOPEN', 'unable to open database file', 'store_unavailable', 'check the path'],
  ])(
    '%s is told as what it is, with what is safe and what to do',
    (code, message, ours, advice) => {
      const error = storeError(Object.assign(new Error(message), { code }), '/runs.db');
      expect(error.code).toBe(ours);
      expect(error.message).toContain('/runs.db');
      expect(error.message).toContain(advice);
      expect(error.message).toMatch(/not (touched|changed)|[Nn]othing (further )?was stored/u);
    },
  );
});

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

  it('with a journal left behind by a process that died: taken up', async () => {
    const store = sqliteStore({ path: file('alive.db') });
    const run = createAgent(payingAgent(store).options).start('pay both', { runId: 'run' });
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      await run.saved();
      for (const part of ['', '-wal']) copyFileSync(file(`alive.db${part}`), `${file()}${part}`);
      await run.close();
    }
    await store.close();
    expect(statSync(file('runs.db-wal')).size).toBeGreaterThan(10_000);
    await goesOn(file());
  });

  it('with a torn end of the journal: whole up to the last full write', async () => {
    const store = sqliteStore({ path: file('alive.db') });
    const run = createAgent(payingAgent(store).options).start('pay both', { runId: 'run' });
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      await run.saved();
      for (const part of ['', '-wal']) copyFileSync(file(`alive.db${part}`), `${file()}${part}`);
      await run.close();
    }
    await store.close();
    truncateSync(file('runs.db-wal'), statSync(file('runs.db-wal')).size - 2_048);
    await goesOn(file());
  });
});
