import { resolve } from 'node:path';
import type Database from 'libsql';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { storeError } from './sqlite-errors.ts';
import { closeDatabase, openDatabase, watchFiles } from './sqlite-file.ts';
import {
  encode,
  holderOf,
  INBOX_COLUMNS,
  LOG_COLUMNS,
  PROMPT_COLUMN,
  type Row,
  RUN_COLUMNS,
  toInboxEntry,
  toLog,
  toResult,
  toSummary,
} from './sqlite-rows.ts';
import { checkOrder, leaseLost, leaseOf, runDriven } from './store.rules.ts';
import type {
  Lease,
  LogRecord,
  RunFilter,
  RunStore,
  RunSummary,
  StoreErrorCode,
} from './store.types.ts';

/** Where the database is, and how long it waits. */
export interface SqliteStoreOptions {
  /** The database file; its folder is made if it is missing. */
  readonly path: string;
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number;
  /** Milliseconds to wait for another process's write. Default 10 000. */
  readonly busyTimeout?: number;
}

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
  const database = openDatabase(file, busyTimeout);
  const files = watchFiles(file);
  const statements = new Map<string, Database.Statement>();

  /** Runs one statement, prepared once. */
  const sql = (text: string): Database.Statement => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const prepared = database.prepare(text);
    statements.set(text, prepared);
    return prepared;
  };
  const get = (text: string, ...values: unknown[]) =>
    sql(text).get(...values.map(bindable)) as Row | undefined;
  const all = (text: string, ...values: unknown[]) =>
    sql(text).all(...values.map(bindable)) as Row[];
  const run = (text: string, ...values: unknown[]) =>
    sql(text).run(...values.map(bindable)).changes;

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
      if (durable) database.exec('PRAGMA synchronous = FULL');
      try {
        database.exec('BEGIN IMMEDIATE');
        try {
          files.check();
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
    const row = get(`SELECT ${RUN_COLUMNS} FROM runs WHERE run_id = ?`, runId);
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
  const lend = (to: Pick<Lease, 'runId' | 'owner' | 'token'>, ttl: number): Lease => {
    const lease = leaseOf(to, { now: now(), ttl });
    run(
      'UPDATE runs SET lease_owner = ?, lease_token = ?, lease_renewed_at = ?, lease_expires_at = ? WHERE run_id = ?',
      lease.owner,
      lease.token,
      lease.renewedAt,
      lease.expiresAt,
      lease.runId,
    );
    return lease;
  };
  const insert = (row: Row, records: readonly LogRecord[]) => {
    for (const record of records)
      run(
        'INSERT INTO log (run, seq, at, data) VALUES (?, ?, ?, ?)',
        row.id,
        record.seq,
        record.at,
        encode(record),
      );
  };

  const listRuns = (
    { status, search = '', limit = 100 }: RunFilter = {},
    { withPrompts = true } = {},
  ): readonly RunSummary[] =>
    all(
      `SELECT ${RUN_COLUMNS}${withPrompts ? `, ${PROMPT_COLUMN}` : ''} FROM runs
       ${withPrompts ? 'JOIN prompts ON run = runs.id' : ''}
       WHERE (?1 IS NULL OR status = ?1) AND (instr(lower(run_id), lower(?2)) > 0
         ${withPrompts ? 'OR instr(lower(prompt), lower(?2)) > 0' : ''})
       ORDER BY runs.created_at DESC, runs.id DESC LIMIT ?3`,
      ...[status ?? null, search, limit],
    ).map((row) => toSummary(row, now()));

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
          `INSERT INTO runs (run_id, created_at, updated_at, status, records, lease_token)
           VALUES (?, ?, ?, 'running', 1, 0)`,
          runId,
          start.at,
          now(),
        );
        const row = find(runId);
        run('INSERT INTO prompts (run, prompt) VALUES (?, ?)', row.id, prompt);
        insert(row, [start]);
        return lend({ runId, owner, token: 1 }, ttl);
      }),
    append: (lease, records, { durable, status, settled = [] }) =>
      write(() => {
        const row = check(lease);
        const known = Number(row.records);
        checkOrder(records, known);
        insert(row, records);
        run(
          'UPDATE runs SET records = ?, updated_at = ?, status = coalesce(?, status) WHERE run_id = ?',
          known + records.length,
          now(),
          status ?? null,
          lease.runId,
        );
        for (const { id, result } of settled)
          run(
            'UPDATE inbox SET result = ? WHERE id = ? AND run_id = ?',
            JSON.stringify(result),
            id,
            lease.runId,
          );
      }, durable),
    read: (runId, from = 0) =>
      guarded(() => {
        // Looked up first: records that are added meanwhile are no gap.
        const { id, records } = find(runId);
        const rows = all(
          `SELECT ${LOG_COLUMNS} FROM log WHERE run = ? AND seq >= ? ORDER BY seq`,
          id,
          from,
        );
        return toLog(rows, { runId, from, records: Number(records) });
      }),
    summary: (runId) =>
      guarded(() => {
        const row = find(runId);
        try {
          const { prompt } =
            get(`SELECT ${PROMPT_COLUMN} FROM prompts WHERE run = ?`, row.id) ?? {};
          return toSummary({ ...row, ...(prompt !== undefined && { prompt }) }, now());
        } catch {
          // A prompt that cannot be read must not hide the run.
          return toSummary(row, now());
        }
      }),
    list: (filter) =>
      guarded(() => {
        try {
          return listRuns(filter);
        } catch {
          // One run's prompt that cannot be read must not hide the others.
          return listRuns(filter, { withPrompts: false });
        }
      }),
    remove: (runId) =>
      write(() => {
        const row = find(runId);
        const held = holderOf(row, now());
        if (held !== null) throw runDriven(held);
        run('DELETE FROM log WHERE run = ?', row.id);
        run('DELETE FROM prompts WHERE run = ?', row.id);
        run('DELETE FROM inbox WHERE run_id = ?', runId);
        run('DELETE FROM runs WHERE id = ?', row.id);
      }, true),
    acquire: (runId, { owner, ttl }) =>
      write(() => {
        const row = find(runId);
        const held = holderOf(row, now());
        if (held !== null) throw runDriven(held);
        return lend({ runId, owner, token: Number(row.lease_token) + 1 }, ttl);
      }),
    renew: (lease, ttl) =>
      write(() => {
        check(lease);
        return lend(lease, ttl);
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
          sql('INSERT INTO inbox (run_id, event) VALUES (?, ?)').run(
            bindable(runId),
            bindable(text),
          ).lastInsertRowid,
        );
      }, true),
    pending: (runId) =>
      guarded(() =>
        all(
          `SELECT ${INBOX_COLUMNS} FROM inbox WHERE run_id = ? AND result IS NULL ORDER BY inbox.id`,
          runId,
        ).map((row) => toInboxEntry(row, runId)),
      ),
    resultOf: (id) =>
      guarded(() => toResult(get(`SELECT ${INBOX_COLUMNS} FROM inbox WHERE id = ?`, id))),
    close: () =>
      guarded(() => {
        statements.clear();
        closeDatabase(database);
      }),
  };
}

/** The driver aborts the whole process over a value that is neither of these. */
function bindable(value: unknown): string | number | null {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new AgentHubError<StoreErrorCode>(
    'store_failed',
    `A store is given texts and numbers, not ${typeof value}; nothing was stored.`,
  );
}
