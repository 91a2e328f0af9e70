import { mkdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../machines/agent/agent.types.ts';
import { openRuns } from '../../src/run/runs.ts';
import { connect } from '../../src/run/store/sqlite-connection.ts';
import { sqliteLogs } from '../../src/run/store/sqlite-logs.ts';
import { encode } from '../../src/run/store/sqlite-rows.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import type { LogRecord, StartRecord } from '../../src/run/store/store.types.ts';
import { goesOn, opening, storeFolder, storeRuns } from './store-folder.ts';

const path = storeFolder();
const alice = { owner: 'alice', ttl: 1_000 };
const cancel = { type: 'run.cancel', by: 'ada', at: 1 } as const;

function start(runId: string): StartRecord {
  const input = {
    ...{ runId, startedAt: 1, locale: 'en' as const, prompt: 'task' },
    ...{ history: [], hooks: [], policies: {}, limits: DEFAULT_LIMITS },
  };
  return { seq: 0, at: 1, kind: 'start', machineVersion: '1', input };
}

function logOf(runId: string, records: number): readonly LogRecord[] {
  const more = Array.from({ length: records - 1 }, (_, index): LogRecord => {
    return { seq: index + 1, at: 1, kind: 'event', event: { type: 'x' } };
  });
  return [start(runId), ...more];
}

/** How many rows each table has that holds something of a run. */
function rowsIn(file: string): Record<string, number> {
  const database = new Database(file);
  const count = (table: string) =>
    (database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
  const tables = ['runs', 'prompts', 'log', 'loose_logs', 'inbox'];
  const counts = Object.fromEntries(tables.map((table) => [table, count(table)]));
  database.close();
  return counts;
}

const NOTHING = { runs: 0, prompts: 0, log: 0, loose_logs: 0, inbox: 0 };

describe('a database that another process has locked', () => {
  it('is waited for with nothing held up, and what was asked for is done in order', async () => {
    const store = sqliteStore({ path: path() });
    const lease = await store.create(start('run'), alice);
    const other = new Database(path());
    other.exec('BEGIN IMMEDIATE');
    const done: string[] = [];
    const note = (name: string) => () => done.push(name);
    const event = (seq: number) => ({ seq, at: 1, kind: 'event', event: { type: 'x' } }) as const;
    const working = [
      store.append(lease, [event(1)], { durable: true }).then(note('first')),
      store.append(lease, [event(2)], { durable: false }).then(note('second')),
      store.post('run', cancel).then(note('posted')),
      store.release(lease).then(note('released')),
      store.close().then(note('closed')),
    ];
    // Timers and other runs have their turn; so has whoever only looks.
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect((await store.read('run')).length).toBe(1);
    expect(done).toEqual([]);
    other.exec('ROLLBACK');
    other.close();
    await Promise.all(working);
    expect(done).toEqual(['first', 'second', 'posted', 'released', 'closed']);
    const again = sqliteStore({ path: path() });
    expect(await again.read('run')).toHaveLength(3);
    expect(await again.summary('run')).toMatchObject({ drivenBy: null });
    await again.close();
  });

  it('is given up after `busyTimeout`, by all that waits for it; nothing was written', async () => {
    const store = sqliteStore({ path: path(), busyTimeout: 20 });
    const lease = await store.create(start('run'), alice);
    const other = new Database(path());
    other.exec('BEGIN IMMEDIATE');
    const refused = await Promise.allSettled([
      store.insert(logOf('copy', 3), 'done'),
      store.renew(lease, 9),
      store.post('run', cancel),
    ]);
    expect(refused.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(
      Array.from({ length: 3 }, () => 'store_busy'),
    );
    other.exec('ROLLBACK');
    other.close();
    await store.renew(lease, 1_000);
    await store.close();
    expect(rowsIn(path())).toEqual({ ...NOTHING, runs: 1, prompts: 1, log: 1 });
  });

  it('may be locked while it is opened, even before it has a schema', async () => {
    mkdirSync(dirname(path()), { recursive: true });
    const other = new Database(path());
    other.exec('BEGIN EXCLUSIVE');
    const store = sqliteStore({ path: path() });
    const listing = store.list();
    const creating = store.create(start('run'), alice);
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    other.exec('ROLLBACK');
    other.close();
    await creating;
    expect([await listing, await store.list()].map(({ length }) => length).at(-1)).toBe(1);
    await store.close();
    await expect(store.list()).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});

describe('a run that is added with its log', () => {
  /** Every write that adding one makes. */
  const WRITES = [
    'BEFORE UPDATE ON numbers',
    'BEFORE INSERT ON loose_logs',
    'BEFORE UPDATE ON loose_logs',
    ...[0, 1, 250, 449].map((seq) => `BEFORE INSERT ON log WHEN NEW.seq = ${seq}`),
    'BEFORE DELETE ON loose_logs',
    'BEFORE INSERT ON runs',
    'BEFORE INSERT ON prompts',
  ];

  it.each(WRITES)('is not there at all when the disk is full %s', async (when) => {
    const store = sqliteStore({ path: path() });
    const other = new Database(path());
    other.exec(
      `CREATE TRIGGER full ${when} BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`,
    );
    const log = logOf('copy', 450);
    await expect(store.insert(log, 'done')).rejects.toMatchObject({ code: 'store_full' });
    await expect(store.read('copy')).rejects.toMatchObject({ code: 'run_unknown' });
    expect(await store.list()).toEqual([]);
    other.exec('DROP TRIGGER full');
    // What could not be cleared away with a full disk is, when the file is opened next.
    await store.close();
    const later = sqliteStore({ path: path(), now: () => Date.now() + 3_600_000 });
    await later.close();
    expect(rowsIn(path())).toEqual(NOTHING);
    other.close();
    const again = sqliteStore({ path: path() });
    await again.insert(log, 'done');
    expect(await again.read('copy')).toEqual(log);
    await again.close();
  });

  it('leaves nothing of it when its process dies half way, once nobody can be writing it', async () => {
    const store = sqliteStore({ path: path() });
    await store.insert(logOf('kept', 2), 'done');
    await store.close();
    const dead = new Database(path());
    dead.exec(`UPDATE numbers SET last = 77`);
    dead.exec(`INSERT INTO loose_logs (run, at) VALUES (77, ${Date.now()})`);
    dead.exec(`INSERT INTO log (run, seq, at, data) VALUES (77, 0, 1, '[]')`);
    dead.close();
    for (const [later, left] of [
      [0, { ...NOTHING, runs: 1, prompts: 1, log: 3, loose_logs: 1 }],
      [3_600_000, { ...NOTHING, runs: 1, prompts: 1, log: 2 }],
    ] as const) {
      const opened = sqliteStore({ path: path(), now: () => Date.now() + later });
      expect((await opened.list()).map(({ runId }) => runId)).toEqual(['kept']);
      await opened.close();
      expect(rowsIn(path())).toEqual(left);
    }
  });

  it('is not added by whoever was so slow that its log was cleared away', async () => {
    await sqliteStore({ path: path() }).close();
    const database = connect(path(), 10);
    const logs = sqliteLogs(database, () => 1_000);
    const slow = await logs.write(logOf('slow', 300));
    await sqliteLogs(database, () => 100_000).sweepAbandoned();
    await expect(database.write(() => logs.adopt(slow))).rejects.toMatchObject({
      code: 'store_failed',
    });
    await database.close();
    expect(rowsIn(path())).toEqual(NOTHING);
  });

  it('is taken out whole, however long its log is', async () => {
    const store = sqliteStore({ path: path() });
    await store.insert(logOf('long', 1_000), 'done');
    await store.remove('long');
    await store.close();
    expect(rowsIn(path())).toEqual(NOTHING);
  });
});

describe('a database of before', () => {
  /** As the first version made it. */
  const FIRST = `
    CREATE TABLE runs (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, status TEXT NOT NULL,
      records INTEGER NOT NULL, lease_owner TEXT, lease_token INTEGER NOT NULL,
      lease_renewed_at INTEGER, lease_expires_at INTEGER);
    CREATE TABLE prompts (run INTEGER PRIMARY KEY, prompt TEXT NOT NULL);
    CREATE TABLE log (run INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
      data TEXT NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID;
    CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL,
      event TEXT NOT NULL, result TEXT);
    CREATE INDEX inbox_waiting ON inbox (run_id) WHERE result IS NULL;
    PRAGMA application_id = ${0x41674862}; PRAGMA user_version = 1;`;

  function makeFirst(...runs: readonly (readonly [string, string, number])[]): void {
    const old = new Database(path());
    old.exec('PRAGMA journal_mode = WAL');
    old.exec(FIRST);
    for (const [index, [runId, status, token]] of runs.entries()) {
      const id = index + 1;
      old.exec(
        `INSERT INTO runs VALUES (${id}, '${runId}', 1, 1, '${status}', 1, NULL, ${token}, NULL, NULL);
         INSERT INTO prompts VALUES (${id}, 'task');
         INSERT INTO log VALUES (${id}, 0, 1, '${encode(start(runId))}');
         INSERT INTO inbox (run_id, event) VALUES ('${runId}', '${JSON.stringify(cancel)}');`,
      );
    }
    old.close();
  }

  it('is taken over: its runs, its leases, and no answer waits on a run that has ended', async () => {
    makeFirst(['open', 'waiting', 41], ['ended', 'done', 3]);
    const store = sqliteStore({ path: path() });
    expect((await store.list()).map(({ runId }) => runId)).toEqual(['ended', 'open']);
    expect(await store.read('open')).toEqual([start('open')]);
    expect(await store.pending('open')).toMatchObject([{ id: 1, event: cancel }]);
    expect(await store.pending('ended')).toEqual([]);
    expect(await store.resultOf(2)).toEqual({
      ...{ accepted: false, code: 'ended', message: 'The run has ended.' },
    });
    await store.remove('ended');
    const lease = await store.create(start('ended'), alice);
    expect(lease.token).toBeGreaterThan(41);
    await store.close();
    // Once is enough.
    const again = sqliteStore({ path: path() });
    expect((await again.acquire('open', alice)).token).toBeGreaterThan(lease.token);
    await again.close();
  });

  it('may be empty', async () => {
    makeFirst();
    const store = sqliteStore({ path: path() });
    await store.create(start('run'), alice);
    expect(await store.read('run')).toHaveLength(1);
    await store.close();
  });
});

describe('a database behind a symbolic link', () => {
  it.each([
    ['to a file', 'data/real.db', true],
    ['to no file yet', 'data/real.db', false],
    ['to no folder yet', 'data/deep/real.db', false],
    ['to a link', 'between.db', false],
  ])('%s is the file that it leads to', async (_, target, isThere) => {
    mkdirSync(path('data'));
    symlinkSync('data/real.db', path('between.db'));
    if (isThere) await sqliteStore({ path: path(target) }).close();
    symlinkSync(target, path('link.db'));
    await storeRuns(path('link.db'), ['run']);
    await goesOn(path('link.db'));
    const real = target === 'between.db' ? path('data/real.db') : path(target);
    const store = sqliteStore({ path: real });
    expect(await store.summary('run')).toMatchObject({ status: 'done' });
    expect(store.name).toBe(real);
    await store.close();
    expect(readlinkSync(path('link.db'))).toBe(target);
  });

  it('that leads to itself is refused', () => {
    symlinkSync('b.db', path('a.db'));
    symlinkSync('a.db', path('b.db'));
    expect(opening(path('a.db'))).toMatchObject({ code: 'store_unavailable' });
  });
});

describe('a run whose prompt is missing', () => {
  it('is listed all the same, and found by its id', async () => {
    await storeRuns(path(), ['one', 'two']);
    const damaged = new Database(path());
    damaged.exec(
      'DELETE FROM prompts WHERE run = (SELECT id FROM runs WHERE run_id = ?)'.replace(
        '?',
        "'one'",
      ),
    );
    damaged.close();
    const store = sqliteStore({ path: path() });
    const listed = (await store.list()).map(({ runId, prompt }) => [runId, prompt]);
    expect(listed).toEqual([
      ['two', 'pay both'],
      ['one', ''],
    ]);
    expect((await store.list({ search: 'one' })).map(({ runId }) => runId)).toEqual(['one']);
    expect(await store.summary('one')).toMatchObject({ prompt: '', status: 'waiting' });
    expect(await openRuns(store).show('one')).toMatchObject({ state: 'awaitPermission.asking' });
    await store.close();
  });
});
