import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Database from 'libsql';
import type { AgentInput, PublicEvent } from '../../../machines/agent/agent.types.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { AnswerResult } from '../run.types.ts';
import { checkOrder, leaseLost, runDriven } from './memory-store.ts';
import { storeError } from './sqlite-errors.ts';
import { migrate } from './sqlite-schema.ts';
import type {
  InboxEntry,
  Lease,
  LogRecord,
  RunStatus,
  RunStore,
  RunSummary,
  StoreErrorCode,
} from './store.types.ts';

export interface SqliteStoreOptions {
  /** The database file; its folder is made if it is missing. */
  readonly path: string;
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number;
  /** Milliseconds to wait for another process's write. Default 10 000. */
  readonly busyTimeout?: number;
}

type Row = Record<string, string | number | null>;

/**
 * Runs in one SQLite file, for any number of processes on one machine (WAL). A record is with the
 * operating system when `append` resolves; a durable one is on disk, and all before it too.
 * @throws AgentHubError with a `store_…` code that says what is safe and what to do.
 */
export function sqliteStore({
  path,
  now = Date.now,
  busyTimeout = 10_000,
}: SqliteStoreOptions): RunStore {
  const file = resolve(path);
  const database = open(file, busyTimeout);
  const inode = statSync(file).ino;
  const statements = new Map<string, Database.Statement>();

  /** Runs one statement, prepared once. */
  const sql = (text: string): Database.Statement => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const prepared = database.prepare(text);
    statements.set(text, prepared);
    return prepared;
  };
  const get = (text: string, ...values: unknown[]) => sql(text).get(...values) as Row | undefined;
  const all = (text: string, ...values: unknown[]) => sql(text).all(...values) as Row[];
  const run = (text: string, ...values: unknown[]) => sql(text).run(...values).changes;

  /** Turns what SQLite throws into an error with a code; what is ours passes. */
  const guarded = async <Value>(work: () => Value): Promise<Value> => {
    try {
      return work();
    } catch (thrown) {
      throw thrown instanceof AgentHubError ? thrown : storeError(thrown, file);
    }
  };

  /** Does all of it or nothing, with nobody else writing meanwhile. */
  const write = <Value>(work: () => Value, durable = false): Promise<Value> =>
    guarded(() => {
      checkFile(file, inode);
      if (durable) database.exec('PRAGMA synchronous = FULL');
      try {
        database.exec('BEGIN IMMEDIATE');
        try {
          const value = work();
          database.exec('COMMIT');
          return value;
        } catch (thrown) {
          if (database.inTransaction) database.exec('ROLLBACK');
          throw thrown;
        }
      } finally {
        if (durable) database.exec('PRAGMA synchronous = NORMAL');
      }
    });

  const find = (runId: string): Row => {
    const row = get('SELECT * FROM runs WHERE run_id = ?', runId);
    if (row === undefined)
      throw new AgentHubError<StoreErrorCode>(
        'run_unknown',
        `There is no run ${runId} in ${file}.`,
      );
    return row;
  };
  const check = (lease: Lease): Row => {
    const row = find(lease.runId);
    if (row.lease_token !== lease.token || row.lease_owner === null) throw leaseLost(lease);
    return row;
  };
  const lend = (runId: string, token: number, owner: string, ttl: number): Lease => {
    const lease = { runId, owner, token, expiresAt: now() + ttl };
    run(
      'UPDATE runs SET lease_owner = ?, lease_token = ?, lease_expires_at = ? WHERE run_id = ?',
      owner,
      token,
      lease.expiresAt,
      runId,
    );
    return lease;
  };
  const insert = (runId: string, records: readonly LogRecord[]) => {
    for (const { seq, at, ...data } of records)
      run(
        'INSERT INTO log (run_id, seq, at, data) VALUES (?, ?, ?, ?)',
        runId,
        seq,
        at,
        JSON.stringify(data),
      );
  };

  return {
    name: file,
    create: (start, { owner, ttl }) =>
      write(() => {
        const { runId, prompt } = start.input;
        if (get('SELECT 1 FROM runs WHERE run_id = ?', runId) !== undefined)
          throw new AgentHubError<StoreErrorCode>(
            'run_exists',
            `There is a run ${runId} already in ${file}.`,
          );
        run(
          `INSERT INTO runs (run_id, created_at, updated_at, status, prompt, records, lease_token)
           VALUES (?, ?, ?, 'running', ?, 1, 0)`,
          runId,
          start.at,
          now(),
          prompt,
        );
        insert(runId, [start]);
        return lend(runId, 1, owner, ttl);
      }),
    append: (lease, records, { durable, status }) =>
      write(() => {
        const known = Number(check(lease).records);
        checkOrder(records, known);
        insert(lease.runId, records);
        run(
          'UPDATE runs SET records = ?, updated_at = ?, status = coalesce(?, status) WHERE run_id = ?',
          known + records.length,
          now(),
          status ?? null,
          lease.runId,
        );
      }, durable),
    read: (runId, from = 0) =>
      guarded(() => {
        find(runId);
        return all(
          'SELECT seq, at, data FROM log WHERE run_id = ? AND seq >= ? ORDER BY seq',
          runId,
          from,
        ).map((row, index) => toRecord(row, { index: from + index, runId }));
      }),
    list: ({ status, search = '', limit = 100 } = {}) =>
      guarded(() =>
        all(
          `SELECT * FROM runs
           WHERE (?1 IS NULL OR status = ?1)
             AND (instr(lower(run_id), lower(?2)) > 0 OR instr(lower(prompt), lower(?2)) > 0)
           ORDER BY created_at DESC, rowid DESC LIMIT ?3`,
          status ?? null,
          search,
          limit,
        ).map((row) => toSummary(row, now())),
      ),
    acquire: (runId, { owner, ttl }) =>
      write(() => {
        const row = find(runId);
        const held = holderOf(row, now());
        if (held !== null) throw runDriven(held);
        return lend(runId, Number(row.lease_token) + 1, owner, ttl);
      }),
    renew: (lease, ttl) =>
      write(() => {
        check(lease);
        return lend(lease.runId, lease.token, lease.owner, ttl);
      }),
    release: ({ runId, token }) =>
      write(() => {
        run(
          'UPDATE runs SET lease_owner = NULL, lease_expires_at = NULL WHERE run_id = ? AND lease_token = ?',
          runId,
          token,
        );
      }),
    post: (runId, event) =>
      write(() => {
        find(runId);
        const text = JSON.stringify(event);
        return Number(
          sql('INSERT INTO inbox (run_id, event) VALUES (?, ?)').run(runId, text).lastInsertRowid,
        );
      }, true),
    pending: (runId) =>
      guarded(() =>
        all('SELECT * FROM inbox WHERE run_id = ? AND result IS NULL ORDER BY id', runId).map(
          (row): InboxEntry => ({
            id: Number(row.id),
            runId,
            event: JSON.parse(String(row.event)) as PublicEvent,
          }),
        ),
      ),
    settle: (lease, id, result) =>
      write(() => {
        check(lease);
        run(
          'UPDATE inbox SET result = ? WHERE id = ? AND run_id = ?',
          JSON.stringify(result),
          id,
          lease.runId,
        );
      }),
    resultOf: (id) =>
      guarded(() => {
        const result = get('SELECT result FROM inbox WHERE id = ?', id)?.result;
        return typeof result === 'string' ? (JSON.parse(result) as AnswerResult) : null;
      }),
    close: () =>
      guarded(() => {
        statements.clear();
        database.close();
      }),
  };
}

function open(file: string, busyTimeout: number): Database.Database {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const database = new Database(file);
    // Set on purpose: the defaults differ between builds. NORMAL in WAL keeps the file whole
    // whatever happens; `write` raises it to FULL for what must be on disk.
    database.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = NORMAL');
    migrate(database, file);
    return database;
  } catch (thrown) {
    throw thrown instanceof AgentHubError ? thrown : storeError(thrown, file);
  }
}

/** A file that was removed or replaced takes writes and loses them. */
function checkFile(file: string, inode: number): void {
  let found: number | null = null;
  try {
    found = statSync(file).ino;
  } catch {
    // Gone: told below.
  }
  if (found === inode) return;
  throw new AgentHubError<StoreErrorCode>(
    'store_unavailable',
    `${file} was ${found === null ? 'removed' : 'replaced'} while it was in use. What was stored before is in that file only; nothing further was stored. Put the file back, or start anew.`,
  );
}

function holderOf(row: Row, now: number): Lease | null {
  const {
    run_id: runId,
    lease_owner: owner,
    lease_token: token,
    lease_expires_at: expiresAt,
  } = row;
  if (typeof owner !== 'string' || Number(expiresAt) <= now) return null;
  return { runId: String(runId), owner, token: Number(token), expiresAt: Number(expiresAt) };
}

function toRecord(
  { seq, at, data }: Row,
  { index, runId }: { index: number; runId: string },
): LogRecord {
  try {
    if (seq !== index) throw new Error(`record ${index} is missing`);
    const record = { seq, at, ...(JSON.parse(String(data)) as object) } as LogRecord;
    if (
      record.kind === 'start' &&
      typeof (record.input as AgentInput | undefined)?.runId !== 'string'
    )
      throw new Error('record 0 has no input');
    return record;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new AgentHubError<StoreErrorCode>(
      'log_corrupt',
      `The log of run ${runId} cannot be read: ${why}. Other runs are not touched; export what can be read, or delete this run.`,
      { runId, seq: index },
    );
  }
}

function toSummary(row: Row, now: number): RunSummary {
  return {
    runId: String(row.run_id),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    status: row.status as RunStatus,
    prompt: String(row.prompt),
    records: Number(row.records),
    drivenBy: holderOf(row, now)?.owner ?? null,
  };
}
