import * as nodeFiles from 'node:fs/promises';
import { posix } from 'node:path';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { JsonObject } from '../../machines/vocabulary/json.ts';
import { type ReadOptions, readApproved } from './file-read.ts';
import type { FileSystem } from './file-system.ts';
import { identityOf, inodeKey } from './identity.ts';
import { type OpenFolder, openFolder } from './open-folder.ts';
import { findRealFolder, type RealFolder } from './real-folder.ts';

/** Which files of a folder are listed. */
export interface ListOptions {
  readonly signal: AbortSignal;
  /** Whether a folder below the root is looked into, by its name. */
  readonly enters: (name: string) => boolean;
  /** Whether a file is wanted, by its name. */
  readonly takes: (name: string) => boolean;
  /** How many folders deep is looked below the root. */
  readonly maxDepth: number;
}

/** A file as it was found in a list. */
export interface ListedFile {
  /** The path below the root, as on disk. */
  readonly file: string;
  readonly bytes: number;
  /** Whether it has further names (hard links), which no check of paths can see. */
  readonly hasOtherNames: boolean;
  /** What was found, for {@link FolderFiles.read}; changes with the file's content. */
  readonly identity: JsonObject;
}

/** The files below one folder, listed and read by handles; see {@link openFolder}. */
export interface FolderFiles {
  /** The real path of the folder. */
  readonly root: string;
  /** Whether the folder itself lies in a private area. */
  isPrivate(): boolean;
  /**
   * The regular files below the folder, sorted by path. Links are not followed, private folders
   * not opened, and a folder that is moved meanwhile is left out. Throws `root_changed`.
   */
  list(options: ListOptions): Promise<readonly ListedFile[]>;
  /** The content of a listed file; throws `file_changed` when it is not what was listed. */
  read(identity: JsonObject, options: ReadOptions): Promise<Uint8Array>;
}

/** The folder whose files are read, and what in it stays closed. */
export interface FolderFilesOptions {
  /** An existing folder, or a link to one. */
  readonly root: string;
  /** Whether a place, or a folder of this `<device>:<inode>`, is private. */
  readonly isPrivate: (path: string, key?: string) => boolean;
  readonly files?: FileSystem;
}

/** The folder is resolved once, here. Throws `invalid_root` when it is none. */
export function createFolderFiles(options: FolderFilesOptions): FolderFiles {
  const { isPrivate, files = nodeFiles } = options;
  const root = resolveRoot(options.root);
  return {
    root: root.path,
    isPrivate: () => isPrivate(root.path),
    async list(how) {
      const folder = await openFolder(files, root.path, root.path).catch((error) => {
        throw rootChanged(error);
      });
      const listed: ListedFile[] = [];
      try {
        const isSame = inodeKey(folder.stats) === root.key && (await folder.isInPlace());
        if (!isSame) throw rootChanged();
        await listFolder(folder, { depth: 0, root: root.path, how, files, isPrivate, listed });
      } finally {
        await folder.close();
      }
      return listed.sort((a, b) => (a.file < b.file ? -1 : 1));
    },
    read: (identity, given) => readApproved(identity, { files, ...given }),
  };
}

interface Listing {
  readonly depth: number;
  readonly root: string;
  readonly how: ListOptions;
  readonly files: FileSystem;
  readonly isPrivate: (path: string, key?: string) => boolean;
  readonly listed: ListedFile[];
}

async function listFolder(folder: OpenFolder, listing: Listing): Promise<void> {
  const { depth, root, how, files, isPrivate, listed } = listing;
  how.signal.throwIfAborted();
  const entries = await files.readdir(folder.base, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    how.signal.throwIfAborted();
    const path = posix.join(folder.path, entry.name);
    if (isPrivate(path)) continue;
    if (entry.isDirectory() && depth < how.maxDepth && how.enters(entry.name)) {
      await listBelow(folder, entry.name, listing);
    }
    if (!entry.isFile() || !how.takes(entry.name)) continue;
    const stats = await files.lstat(folder.at(entry.name), { bigint: true }).catch(() => null);
    if (!stats?.isFile()) continue;
    listed.push({
      file: posix.relative(root, path),
      bytes: Number(stats.size),
      hasOtherNames: stats.nlink > 1n,
      identity: { path, file: identityOf(stats) },
    });
  }
}

async function listBelow(folder: OpenFolder, name: string, listing: Listing): Promise<void> {
  const path = posix.join(folder.path, name);
  const below = await openFolder(listing.files, folder.at(name), path).catch(() => null);
  if (below === null) return;
  try {
    if (listing.isPrivate(path, inodeKey(below.stats)) || !(await below.isInPlace())) return;
    await listFolder(below, { ...listing, depth: listing.depth + 1 });
  } finally {
    await below.close();
  }
}

function resolveRoot(folder: string): RealFolder {
  const found = findRealFolder(folder);
  if (found !== null) return found;
  throw new AgentHubError(
    'invalid_root',
    `The knowledge folder ${JSON.stringify(folder)} does not exist; create it or change the configuration.`,
  );
}

function rootChanged(cause?: unknown): AgentHubError {
  return new AgentHubError(
    'root_changed',
    'The knowledge folder was replaced since the start, so it is not read; start again.',
    undefined,
    cause,
  );
}
