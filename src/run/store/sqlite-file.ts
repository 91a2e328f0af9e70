import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { storeError } from './sqlite-errors.ts';
import { checkUsable, migrate } from './sqlite-schema.ts';
import type { StoreErrorCode } from './store.types.ts';

/**
 * Opens a database file of ours, or makes one; its folder too.
 * @throws AgentHubError with a `store_…` code; a file that is not ours is not changed.
 */
export function openDatabase(file: string, busyTimeout: number): Database.Database {
  // The driver aborts the whole process over such a path.
  if (file.includes('\0'))
    throw new AgentHubError<StoreErrorCode>(
      'store_unavailable',
      `${JSON.stringify(file)} is no path of a file. Nothing was stored; name another.`,
      { file },
    );
  try {
    makeFolder(dirname(file));
    const database = new Database(file);
    // Set on purpose: the defaults differ between builds. NORMAL in WAL keeps the file whole
    // whatever happens; `write` raises it to FULL for what must be on disk.
    database.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
    checkUsable(database, file);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = NORMAL');
    migrate(database, file);
    return database;
  } catch (thrown) {
    throw thrown instanceof AgentHubError ? thrown : storeError(thrown, file);
  }
}

/** Folder by folder: `recursive` never comes back where a file system takes no folders. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (thrown) {
    // Another process may have been faster.
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
}

/**
 * Watches the database's files: one that was removed or replaced takes writes and loses them. To
 * be checked within a transaction, when all of them are there.
 */
export function watchFiles(file: string): { check(): void } {
  const known = new Map<string, number>();
  const main = statSync(file).ino;
  known.set(file, main);
  return {
    check: () => {
      for (const name of [file, `${file}-wal`, `${file}-shm`]) {
        const found = statSync(name, { throwIfNoEntry: false })?.ino ?? null;
        const wanted = known.get(name);
        if (found !== null && found === wanted) continue;
        if (found === null || wanted !== undefined)
          throw new AgentHubError<StoreErrorCode>(
            'store_unavailable',
            `${name} was ${found === null ? 'removed' : 'replaced'} while it was in use. What was stored before is in that file only; nothing further was stored. Put the file back, or start anew.`,
            { file },
          );
        known.set(name, found);
      }
    },
  };
}

/** Puts what is in the journal into the file, unless somebody else is using it, and lets go. */
export function closeDatabase(database: Database.Database): void {
  if (!database.open) return;
  try {
    database.exec('PRAGMA busy_timeout = 0');
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } catch {
    // It stays in the journal, where the next one to open the file finds it.
  }
  database.close();
}
