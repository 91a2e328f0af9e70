import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { StoreErrorCode } from './store.types.ts';

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
  [
    /SQLITE_BUSY|SQLITE_LOCKED|is locked/iu,
    'store_busy',
    `Another process kept the database for too long. ${SAFE} Try again.`,
  ],
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

/** An error of SQLite or of the file system as one of ours, with what is safe and what to do. */
export function storeError(thrown: unknown, file: string): AgentHubError<StoreErrorCode> {
  const { code = '', message = String(thrown) } = (thrown ?? {}) as {
    code?: string;
    message?: string;
  };
  const found = ADVICE.find(([pattern]) => pattern.test(`${code} ${message}`));
  const [, known, advice] = found ?? [null, 'store_failed' as const, SAFE];
  return new AgentHubError(
    known,
    `${file}: ${advice} (${message})`,
    { file, cause: message },
    thrown,
  );
}
