import { lstatSync, realpathSync } from 'node:fs';
import { inodeKey } from './identity.ts';

/** A configured folder, resolved once: neither a rename nor a working directory moves it. */
export interface RealFolder {
  /** Absolute, without links. */
  readonly path: string;
  /** `<device>:<inode>`, by which a folder put in its place is told from it. */
  readonly key: string;
}

/** The folder that a path leads to, or null where there is none. */
export function findRealFolder(folder: string): RealFolder | null {
  try {
    const path = realpathSync(folder);
    const stats = lstatSync(path, { bigint: true });
    return stats.isDirectory() ? { path, key: inodeKey(stats) } : null;
  } catch {
    return null;
  }
}
