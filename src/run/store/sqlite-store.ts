import { connect } from './sqlite-connection.ts';
import { realFile } from './sqlite-file.ts';
import { sqliteInbox } from './sqlite-inbox.ts';
import { sqliteLeases } from './sqlite-leases.ts';
import { nextNumber, sqliteLogs } from './sqlite-logs.ts';
import { PROMPT_COLUMN, type Row, RUN_COLUMNS, read as textOf, toSummary } from './sqlite-rows.ts';
import {
  answerAtEnd,
  checkAnswerable,
  checkOrder,
  checkWhole,
  runExists,
  runUnknown,
} from './store.rules.ts';
import type {
  Lease,
  RunFilter,
  RunStatus,
  RunStore,
  RunSummary,
  StartRecord,
} from './store.types.ts';

/** Where the database is, and how long it waits. */
export interface SqliteStoreOptions {
  /** The database file, or a link to it; its folder is made if it is missing. */
  readonly path: string;
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number;
  /**
   * Milliseconds that a call waits while another process has the database locked, before it rejects
   * with `store_busy`. Only that call waits, and later writes of this store: the event loop goes on.
   * Default 10 000.
   */
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
  const file = realFile(path);
  const database = connect(file, busyTimeout);
  const { get, all, run, read, write } = database;
  const logs = sqliteLogs(database, now);
  const leases = sqliteLeases(database, now);
  const inbox = sqliteInbox(database);
  // Only `close` waits for it; where it fails, it is tried again when the file is opened next.
  const swept = logs.sweepAbandoned().catch(() => {});

  const find = (runId: string): Row => {
    const row = get(`SELECT ${RUN_COLUMNS} FROM runs WHERE run_id = ?`, runId);
    if (row === undefined) throw runUnknown(runId, file);
    return row;
  };
  const held = (lease: Lease): Row => {
    const row = find(lease.runId);
    leases.checkHeld(row, lease);
    return row;
  };
  const checkFree = (runId: string): void => {
    if (get('SELECT 1 FROM runs WHERE run_id = ?', runId) !== undefined)
      throw runExists(runId, file);
  };
  const add = (id: number, { input, at }: StartRecord, status: RunStatus, records: number) => {
    checkFree(input.runId);
    run(
      `INSERT INTO runs (id, run_id, created_at, updated_at, status, records, lease_token)
       VALUES (?, ?, ?, ?, ?, ?, 0)`,
      ...[id, input.runId, at, now(), status, records],
    );
    run('INSERT INTO prompts (run, prompt) VALUES (?, ?)', id, input.prompt);
  };

  const listRuns = (
    { status, search = '', limit = 100 }: RunFilter = {},
    { withPrompts = true } = {},
  ): readonly RunSummary[] =>
    all(
      `SELECT ${RUN_COLUMNS}${withPrompts ? `, ${PROMPT_COLUMN}` : ''} FROM runs
       ${withPrompts ? 'LEFT JOIN prompts ON run = runs.id' : ''}
       WHERE (?1 IS NULL OR status = ?1) AND (instr(lower(run_id), lower(?2)) > 0
         ${withPrompts ? 'OR instr(lower(prompt), lower(?2)) > 0' : ''})
       ORDER BY runs.created_at DESC, runs.id DESC LIMIT ?3`,
      ...[status ?? null, search, limit],
    ).map((row) => toSummary(row, now()));

  return {
    name: file,
    create: (start, request) =>
      write(() => {
        const id = nextNumber(database);
        add(id, start, 'running', 1);
        logs.add(id, [start]);
        return leases.lend(start.input.runId, request);
      }),
    insert: async (log, status) => {
      const start = checkWhole(log);
      await read(() => checkFree(start.input.runId));
      const id = await logs.write(log);
      try {
        await write(() => {
          logs.adopt(id);
          add(id, start, status, log.length);
        }, true);
      } catch (thrown) {
        await logs.sweep(id).catch(() => {});
        throw thrown;
      }
    },
    append: (lease, records, { durable, status, settled = [] }) =>
      write(() => {
        const row = held(lease);
        const known = Number(row.records);
        checkOrder(records, known);
        logs.add(Number(row.id), records);
        run(
          'UPDATE runs SET records = ?, updated_at = ?, status = coalesce(?, status) WHERE run_id = ?',
          known + records.length,
          now(),
          status ?? null,
          lease.runId,
        );
        for (const answer of settled) inbox.settle(lease.runId, answer);
        const result = answerAtEnd(status);
        if (result !== null) inbox.settleAll(lease.runId, result);
      }, durable),
    read: async (runId, from = 0) => {
      const { id, records } = await read(() => find(runId));
      try {
        return await logs.read(Number(id), { runId, from, records: Number(records) });
      } catch (thrown) {
        // Taken out while it was read, it is no damaged one.
        await read(() => find(runId));
        throw thrown;
      }
    },
    summary: (runId) =>
      read(() => {
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
      read(() => {
        try {
          return listRuns(filter);
        } catch {
          // One run's prompt that cannot be read must not hide the others.
          return listRuns(filter, { withPrompts: false });
        }
      }),
    remove: async (runId) => {
      const id = await write(() => {
        const row = find(runId);
        leases.checkUndriven(row);
        run('DELETE FROM prompts WHERE run = ?', row.id);
        inbox.remove(runId);
        run('DELETE FROM runs WHERE id = ?', row.id);
        logs.disown(Number(row.id));
        return Number(row.id);
      }, true);
      // The run is gone; what is left of its log goes when the file is opened next, if not now.
      await logs.sweep(id).catch(() => {});
    },
    acquire: (runId, request) =>
      write(() => {
        leases.checkUndriven(find(runId));
        return leases.lend(runId, request);
      }),
    renew: (lease, ttl) =>
      write(() => {
        held(lease);
        return leases.extend(lease, ttl);
      }),
    release: (lease) => write(() => leases.takeBack(lease)),
    post: (runId, event) =>
      write(() => {
        checkAnswerable(runId, textOf(find(runId).status) as RunStatus);
        return inbox.add(runId, event);
      }, true),
    pending: (runId) => read(() => inbox.waiting(runId)),
    resultOf: (id) => read(() => inbox.resultOf(id)),
    close: async () => {
      await swept;
      await database.close();
    },
  };
}
