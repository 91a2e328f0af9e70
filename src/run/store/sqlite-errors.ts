import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { StoreErrorCode } from './store.types.ts';

const BUSY = /SQLITE_BUSY|SQLITE_LOCKED|is locked/iu;

const SAFE = 'What was stored before is not touched; nothing further was stored.';

/** What to do, by the beginning of SQLite's code or of its message. */
const ADVICE: readonly [RegExp, StoreErrorCode, string][] = [
  [
    /SQLITE_FULL|disk is full/iu,
    'store_full',
    `The disk is full. ${SAFE} Make room; a stored run can be resumed then.`,
  ],
  [
    /SQLITE_READONLY|readonly|read-only/iu,
    'store_readonly',
    `The file or its folder cannot be written. ${SAFE} Give write permission; a stored run can be resumed then.`,
  ],
  [
    /SQLITE_NOTADB|not a database/iu,
    'store_foreign',
    'The file is not a database. It was not changed; name another file.',
  ],
  [
    /SQLITE_CORRUPT|SQLITE_IOERR_SHORT_READ|malformed/iu,
    'store_corrupt',
    'The database is damaged, and this part of it cannot be read. Nothing was stored; runs that can be read are usable. Copy the file aside, then recover what is left with: sqlite3 FILE ".recover".',
  ],
  [BUSY, 'store_busy', `Another process kept the database for too long. ${SAFE} Try again.`],
  [
    /SQLITE_CANTOPEN|unable to open|ENOENT|EACCES|ENOTDIR|EROFS/iu,
    'store_unavailable',
    'The file cannot be opened. Nothing was stored; check the path and its permissions.',
  ],
  [
    /SQLITE_IOERR|I\/O error/iu,
    'store_failed',
    `The disk refused. ${SAFE} Check the disk; a stored run can be resumed then.`,
  ],
];

/** Whether somebody else has the database now: it may be tried again. */
export function isBusy(thrown: unknown): boolean {
  return BUSY.test(said(thrown));
}

/** An error of SQLite or of the file system as one of ours, with what is safe and what to do. */
export function storeError(thrown: unknown, file: string): AgentHubError<StoreErrorCode> {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const found = ADVICE.find(([pattern]) => pattern.test(said(thrown)));
  const [, known, advice] = found ?? [null, 'store_failed' as const, SAFE];
  return new AgentHubError(
    known,
    `${file}: ${advice} (${message})`,
    { file, cause: message },
    thrown,
  );
}

/** The code and the words of what was thrown. */
function said(thrown: unknown): string {
  const { code = '', message = String(thrown) } = (thrown ?? {}) as {
    code?: string;
    message?: string;
  };
  return `${code} ${message}`;
}
