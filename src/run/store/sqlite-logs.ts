import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { breather } from '../breather.ts';
import type { Connection } from './sqlite-connection.ts';
import { encode, LOG_COLUMNS, logCorrupt, type Row, toRecords } from './sqlite-rows.ts';
import type { LogRecord, StoreErrorCode } from './store.types.ts';

/** Records that are read, written or deleted in one go: nothing else happens meanwhile. */
const AT_ONCE = 200;

/** Milliseconds after which whoever was writing a log that no run has is taken to be dead. */
const ABANDONED = 60_000;

/** The logs of a database, by the number of the run that they belong to. */
export interface SqliteLogs {
  /** Adds records, within a transaction. */
  add(run: number, records: readonly LogRecord[]): void;
  /** A log from record `from` on, as long as it is when it is read; `records` there must be. */
  read(
    run: number,
    of: { readonly runId: string; readonly from: number; readonly records: number },
  ): Promise<readonly LogRecord[]>;
  /** Writes a log bit by bit, which no run has yet: nobody sees it. Gives its number. */
  write(log: readonly LogRecord[]): Promise<number>;
  /** Makes a log a run's own, within the transaction that adds the run. */
  adopt(run: number): void;
  /** Makes a log nobody's, within the transaction that takes its run out. */
  disown(run: number): void;
  /** Deletes a log that no run has, bit by bit. */
  sweep(run: number): Promise<void>;
  /** Deletes the logs that were left by processes that died while they wrote them. */
  sweepAbandoned(): Promise<void>;
}

/**
 * A log may be longer than what can be written or deleted without holding everything up. So it is
 * written before its run is there, and deleted when it is gone: that a run comes or goes is one
 * small transaction. `loose_logs` knows what no run has, and who finds it old deletes it.
 */
export function sqliteLogs(database: Connection, now: () => number): SqliteLogs {
  const { all, run, read, write } = database;

  const add = (id: number, records: readonly LogRecord[]) => {
    for (const record of records)
      run(
        'INSERT INTO log (run, seq, at, data) VALUES (?, ?, ?, ?)',
        id,
        record.seq,
        record.at,
        encode(record),
      );
  };
  const stillOurs = (id: number, { changes }: { readonly changes: number }) => {
    if (changes === 1) return;
    throw new AgentHubError<StoreErrorCode>(
      'store_failed',
      'Writing the log took so long that it was given up and deleted. Nothing was stored; try again.',
      { run: id },
    );
  };
  const sweep = async (id: number) => {
    const breathe = breather();
    const next = () => {
      // From here on whoever writes it, having only been slow, cannot make it a run's any more.
      const { changes: loose } = run('UPDATE loose_logs SET at = -1 WHERE run = ?', id);
      if (loose === 0) return 0;
      const { changes } = run(
        'DELETE FROM log WHERE run = ?1 AND seq IN (SELECT seq FROM log WHERE run = ?1 LIMIT ?2)',
        id,
        AT_ONCE,
      );
      if (changes === 0) run('DELETE FROM loose_logs WHERE run = ?', id);
      return changes;
    };
    while ((await write(next)) > 0) await breathe();
  };

  return {
    add,
    read: async (id, { runId, from, records }) => {
      const log: LogRecord[] = [];
      const breathe = breather();
      for (let rows: Row[] = []; ; ) {
        const next = from + log.length;
        rows = await read(() =>
          all(
            `SELECT ${LOG_COLUMNS} FROM log WHERE run = ? AND seq >= ? ORDER BY seq LIMIT ?`,
            id,
            next,
            AT_ONCE,
          ),
        );
        log.push(...toRecords(rows, { runId, from: next }));
        if (rows.length < AT_ONCE) break;
        await breathe();
      }
      if (from + log.length >= records) return log;
      const seq = from + log.length;
      throw logCorrupt(`record ${seq} is missing, of ${records}`, { runId, seq });
    },
    write: async (log) => {
      const breathe = breather();
      const id = await write(() => {
        const number = nextNumber(database);
        run('INSERT INTO loose_logs (run, at) VALUES (?, ?)', number, now());
        return number;
      });
      try {
        for (let from = 0; from < log.length; from += AT_ONCE) {
          await write(() => {
            stillOurs(id, run('UPDATE loose_logs SET at = ? WHERE run = ? AND at >= 0', now(), id));
            add(id, log.slice(from, from + AT_ONCE));
          });
          await breathe();
        }
        return id;
      } catch (thrown) {
        // Where that fails too, it is deleted by whoever opens the file later.
        await sweep(id).catch(() => {});
        throw thrown;
      }
    },
    adopt: (id) => stillOurs(id, run('DELETE FROM loose_logs WHERE run = ? AND at >= 0', id)),
    disown: (id) => {
      run('INSERT INTO loose_logs (run, at) VALUES (?, -1)', id);
    },
    sweep,
    sweepAbandoned: async () => {
      const found = await read(() =>
        all('SELECT run FROM loose_logs WHERE at <= ?1 - ?2 OR at > ?1 + ?2', now(), ABANDONED),
      );
      for (const row of found) await sweep(Number(row.run));
    },
  };
}

/** A number that no run and no lease of this database ever had, within a transaction. */
export function nextNumber({ get }: Connection): number {
  const row = get('UPDATE numbers SET last = last + 1 RETURNING last');
  if (row !== undefined) return Number(row.last);
  throw new AgentHubError<StoreErrorCode>(
    'store_corrupt',
    'The database no longer knows which numbers it has given out. Nothing was stored; export its runs, and import them into a new one.',
  );
}
