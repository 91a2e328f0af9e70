import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Database from 'libsql';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { storeError } from './sqlite-errors.ts';
import { checkUsable, inSnapshot, migrate } from './sqlite-schema.ts';
import type { StoreErrorCode } from './store.types.ts';

/** Links followed at most, as file systems do. */
const MOST_LINKS = 40;

/**
 * Opens a database file, or makes one; its folder too. Whether it is ours is not looked at yet.
 * @throws AgentHubError with a `store_…` code.
 */
export function openDatabase(file: string): Database.Database {
  try {
    makeFolder(dirname(file));
    const database = new Database(file);
    // Whoever waits for another process's lock does so without holding up everything else here.
    database.exec('PRAGMA busy_timeout = 0');
    return database;
  } catch (thrown) {
    throw storeError(thrown, file);
  }
}

/**
 * Makes an open database ready for use. All of it may be done twice.
 * @throws AgentHubError `store_foreign`, `store_too_new`: the file is not changed then. What SQLite
 * throws is thrown as it is.
 */
export function prepareDatabase(database: Database.Database, file: string): void {
  inSnapshot(database, () => checkUsable(database, file));
  // Set on purpose: the defaults differ between builds. NORMAL in WAL keeps the file whole
  // whatever happens; it is raised to FULL for what must be on disk.
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = NORMAL');
  migrate(database, file);
}

/**
 * The file that a path leads to, also where that is not there yet: SQLite keeps its journal beside
 * the file itself, not beside a link to it.
 * @throws AgentHubError `store_unavailable` for what is no path of a file.
 */
export function realFile(path: string): string {
  // The driver aborts the whole process over such a path.
  if (path.includes('\0'))
    throw new AgentHubError<StoreErrorCode>(
      'store_unavailable',
      `${JSON.stringify(path)} is no path of a file. Nothing was stored; name another.`,
      { file: path },
    );
  let file = resolve(path);
  try {
    for (let left = MOST_LINKS; left > 0; left -= 1) {
      if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return file;
      file = resolve(realpathSync(dirname(file)), readlinkSync(file));
    }
  } catch (thrown) {
    throw storeError(thrown, file);
  }
  throw storeError(new Error('ENOENT: too many symbolic links'), path);
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
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } catch {
    // It stays in the journal, where the next one to open the file finds it.
  }
  database.close();
}
