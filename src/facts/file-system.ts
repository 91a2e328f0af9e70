import type * as nodeFiles from 'node:fs/promises';

/** The part of `node:fs/promises` that the guard uses; tests hand in one that changes things between two steps. */
export type FileSystem = Pick<
  typeof nodeFiles,
  'open' | 'lstat' | 'stat' | 'readlink' | 'realpath' | 'readdir' | 'link' | 'rename' | 'unlink'
>;
