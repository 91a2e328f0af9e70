import { type BigIntStats, constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { platform } from 'node:os';
import { posix } from 'node:path';
import { privateRelation } from './areas.ts';
import type { FileSystem } from './file-system.ts';
import { inodeKey } from './identity.ts';

/** A folder held by its handle: what is looked up below it cannot be led elsewhere by a rename. */
export interface OpenFolder {
  /** Where it was opened; where it really is, {@link OpenFolder.isInPlace} tells. */
  readonly path: string;
  /** Of the handle, not of the name. */
  readonly stats: BigIntStats;
  /** The folder itself, as an address for the file system. */
  readonly base: string;
  /** A name in this folder, as an address for the file system. */
  at(name: string): string;
  /** Where the handle really is now; null when that cannot be told. */
  realPath(): Promise<string | null>;
  /** Whether it still is where it was opened. */
  isInPlace(): Promise<boolean>;
  close(): Promise<void>;
}

/** Linux's `O_PATH`, which Node does not name: a handle for looking, which needs no right to read. */
const O_PATH = 0o10000000;
const LOOK = platform() === 'linux' ? O_PATH : constants.O_RDONLY;

/**
 * Opens a folder at `address` (a path, or a name in an open folder), not following a last link.
 * `path` is the absolute path that the address stands for. Rejects with the system's error.
 *
 * Linux names an open folder below /proc, so that names in it need no path any more; elsewhere its
 * path is the best there is, and only {@link OpenFolder.isInPlace} tells that it led astray.
 */
export async function openFolder(
  files: FileSystem,
  address: string,
  path: string,
): Promise<OpenFolder> {
  const flags = LOOK | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await files.open(address, flags);
  try {
    const stats = await handle.stat({ bigint: true });
    const named = await nameOfHandle(files, handle);
    const base = named === null ? path : handleAddress(handle);
    return {
      path,
      stats,
      base,
      at: (name) => posix.join(base, '/').concat(name),
      realPath: () => realPathOf(files, handle, path),
      isInPlace: async () => isSamePlace(await realPathOf(files, handle, path), path),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Where an open file or folder really is: as the kernel names the handle; where it names none, by
 * resolving `path` a second time, now that it is open, and comparing what is there. Null when the
 * path leads to something else.
 */
export async function realPathOf(
  files: FileSystem,
  handle: FileHandle,
  path: string,
): Promise<string | null> {
  const named = await nameOfHandle(files, handle);
  if (named !== null) return named;
  const real = await files.realpath(path).catch(() => null);
  if (real === null) return null;
  const there = await files.lstat(real, { bigint: true }).catch(() => null);
  const opened = await handle.stat({ bigint: true });
  return there !== null && inodeKey(there) === inodeKey(opened) ? real : null;
}

/** Whether two paths are one, as loosely as file systems compare names; null is nowhere. */
export function isSamePlace(real: string | null, path: string): boolean {
  return real !== null && privateRelation(real, path) === 'same';
}

function nameOfHandle(files: FileSystem, handle: FileHandle): Promise<string | null> {
  return files.readlink(handleAddress(handle)).catch(() => null);
}

function handleAddress({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}
