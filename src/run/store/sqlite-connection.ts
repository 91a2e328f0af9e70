import { setTimeout as sleep } from 'node:timers/promises';
import type Database from 'libsql';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { isBusy, storeError } from './sqlite-errors.ts';
import { closeDatabase, openDatabase, prepareDatabase, watchFiles } from './sqlite-file.ts';
import type { Row } from './sqlite-rows.ts';
import { inSnapshot } from './sqlite-schema.ts';
import type { StoreErrorCode } from './store.types.ts';

/** Milliseconds between two tries for a database that another process has locked: first, at most. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [2, 50];

/** A database of ours. What works on it is synchronous; what waits for other processes is not. */
export interface Connection {
  /** One statement, prepared once; its first row. */
  get(text: string, ...values: unknown[]): Row | undefined;
  all(text: string, ...values: unknown[]): Row[];
  /** One statement that gives no rows; how many it changed, and the id of the last that it added. */
  run(text: string, ...values: unknown[]): { readonly changes: number; readonly added: number };
  /** Looks, at one moment. May be done twice, if another process is in the way at first. */
  read<Value>(work: () => Value): Promise<Value>;
  /**
   * Does all of it or nothing, with nobody else writing meanwhile; in the order asked for. May be
   * done twice, like `read`; of that, one is kept.
   */
  write<Value>(work: () => Value, durable?: boolean): Promise<Value>;
  /** Lets go of the database once everything asked for is done. */
  close(): Promise<void>;
}

/**
 * Opens a database, or makes one. Nothing here waits with the event loop: where another process has
 * the file, it is tried again later, for `busyTimeout` milliseconds at most.
 * @throws AgentHubError with a `store_…` code; so does everything that it gives.
 */
export function connect(file: string, busyTimeout: number): Connection {
  const database = openDatabase(file);
  const files = watchFiles(file);
  const statements = new Map<string, Database.Statement>();
  let isPrepared = false;
  let last: Promise<unknown> = Promise.resolve();

  const sql = (text: string): Database.Statement => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const prepared = database.prepare(text);
    statements.set(text, prepared);
    return prepared;
  };

  const prepare = () => {
    if (isPrepared) return;
    prepareDatabase(database, file);
    isPrepared = true;
  };

  const attempt = <Value>(work: () => Value): Value => {
    // The driver answers nonsense, or aborts the process, after `close`.
    if (!database.open)
      throw new AgentHubError<StoreErrorCode>('store_unavailable', `${file} was closed.`, { file });
    prepare();
    return work();
  };

  /** Tries until nobody is in the way, or too late; turns what SQLite throws into one of ours. */
  const patiently = async <Value>(work: () => Value, since: number): Promise<Value> => {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        return attempt(work);
      } catch (thrown) {
        if (thrown instanceof AgentHubError) throw thrown;
        if (!isBusy(thrown) || performance.now() - since >= busyTimeout)
          throw storeError(thrown, file);
      }
      // Not in step: two processes that wait for each other's lock would try at the same time.
      await sleep(pause * (0.5 + Math.random()));
    }
  };

  const transact = <Value>(work: () => Value): Value => {
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
  };
  const transactDurably = <Value>(work: () => Value): Value => {
    database.exec('PRAGMA synchronous = FULL');
    try {
      return transact(work);
    } finally {
      database.exec('PRAGMA synchronous = NORMAL');
    }
  };

  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };

  // At once, so that a file that is none of ours is refused here; what is busy is tried again later.
  try {
    prepare();
  } catch (thrown) {
    if (isBusy(thrown)) return connection();
    database.close();
    throw thrown instanceof AgentHubError ? thrown : storeError(thrown, file);
  }
  return connection();

  function connection(): Connection {
    return {
      get: (text, ...values) => sql(text).get(...values.map(bindable)) as Row | undefined,
      all: (text, ...values) => sql(text).all(...values.map(bindable)) as Row[],
      run: (text, ...values) => {
        const { changes, lastInsertRowid } = sql(text).run(...values.map(bindable));
        return { changes, added: Number(lastInsertRowid) };
      },
      read: (work) => patiently(() => inSnapshot(database, work), performance.now()),
      write: (work, durable = false) => {
        const since = performance.now();
        const transaction = () => (durable ? transactDurably(work) : transact(work));
        return inTurn(() => patiently(transaction, since));
      },
      close: () =>
        inTurn(async () => {
          statements.clear();
          closeDatabase(database);
        }),
    };
  }
}

/** The driver aborts the whole process over a value that is neither of these. */
function bindable(value: unknown): string | number | null {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new AgentHubError<StoreErrorCode>(
    'store_failed',
    `A store is given texts and numbers, not ${typeof value}; nothing was stored.`,
  );
}
