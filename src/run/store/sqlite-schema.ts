import type Database from 'libsql';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { StoreErrorCode } from './store.types.ts';

/** "AgHb": marks a database file as ours. */
const APPLICATION_ID = 0x41674862;

/** How each version of the schema is made from the one before. Never changed once released. */
const MIGRATIONS = [
  `CREATE TABLE runs (
     id INTEGER PRIMARY KEY,
     run_id TEXT NOT NULL UNIQUE,
     created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL,
     status TEXT NOT NULL,
     records INTEGER NOT NULL,
     lease_owner TEXT,
     lease_token INTEGER NOT NULL,
     lease_renewed_at INTEGER,
     lease_expires_at INTEGER
   );
   CREATE TABLE prompts (
     run INTEGER PRIMARY KEY,
     prompt TEXT NOT NULL
   );
   CREATE TABLE log (
     run INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     at INTEGER NOT NULL,
     data TEXT NOT NULL,
     PRIMARY KEY (run, seq)
   ) WITHOUT ROWID;
   CREATE TABLE inbox (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     run_id TEXT NOT NULL,
     event TEXT NOT NULL,
     result TEXT
   );
   CREATE INDEX inbox_waiting ON inbox (run_id) WHERE result IS NULL;`,
  // Ids of runs and tokens of leases are never used twice, also where a run was taken out. Answers
  // do not wait for a run that has ended.
  `CREATE TABLE numbers (
     last INTEGER NOT NULL
   );
   INSERT INTO numbers (last) SELECT coalesce(max(
     max(CAST(id AS INTEGER)), max(CAST(lease_token AS INTEGER))), 0) FROM runs;
   CREATE TABLE loose_logs (
     run INTEGER PRIMARY KEY,
     at INTEGER NOT NULL
   );
   UPDATE inbox
     SET result = '{"accepted":false,"code":"ended","message":"The run has ended."}'
     WHERE result IS NULL
       AND run_id IN (SELECT run_id FROM runs WHERE status IN ('done', 'failed', 'cancelled'));`,
];

/**
 * Looks at a database as it is at one moment. Another process can be in the way only before it
 * begins: a statement that the driver gives up half way would stay open, and block what follows.
 */
export function inSnapshot<Value>(database: Database.Database, look: () => Value): Value {
  database.exec('BEGIN');
  try {
    database.exec('SELECT 1 FROM sqlite_master LIMIT 1');
    return look();
  } finally {
    if (database.inTransaction) database.exec('ROLLBACK');
  }
}

/**
 * Looks whether a file may be used, and changes nothing: not even its journal mode.
 * @throws AgentHubError `store_foreign`, `store_too_new`
 */
export function checkUsable(database: Database.Database, file: string): void {
  const version = Number(pragma(database, 'user_version'));
  const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_master').get() as {
    tables: number;
  };
  if (version > 0 || tables > 0) checkOurs(database, file);
  if (version > MIGRATIONS.length)
    throw new AgentHubError<StoreErrorCode>(
      'store_too_new',
      `${file} was written by a later version of AgentHub (schema ${version}, this one knows ${MIGRATIONS.length}). Nothing was changed; use that version.`,
      { file },
    );
}

/**
 * Brings a database to the newest schema, all or nothing.
 * @throws AgentHubError `store_foreign` for another program's file, `store_too_new` for one that a
 * later version wrote; neither is changed.
 */
export function migrate(database: Database.Database, file: string): void {
  const known = () => Number(pragma(database, 'user_version'));
  if (inSnapshot(database, known) === MIGRATIONS.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have been quicker.
    checkUsable(database, file);
    for (const step of MIGRATIONS.slice(known())) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    database.exec('COMMIT');
  } catch (thrown) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
}

function checkOurs(database: Database.Database, file: string): void {
  if (Number(pragma(database, 'application_id')) === APPLICATION_ID) return;
  throw new AgentHubError<StoreErrorCode>(
    'store_foreign',
    `${file} is a database of another program. Nothing was changed; name another file.`,
    { file },
  );
}

function pragma(database: Database.Database, name: string): unknown {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown> | undefined;
  return row?.[name];
}
