import type { BigIntStats } from 'node:fs';
import * as nodeFiles from 'node:fs/promises';
import { posix } from 'node:path';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { FileSystem } from './file-system.ts';
import { inodeKey } from './identity.ts';
import { isSamePlace, type OpenFolder, openFolder } from './open-folder.ts';

/** Links followed before the kernel gives up with ELOOP. */
const MAX_LINKS = 40;

/** A place the walk came by: its real path, its identity and that of the folder it lies in. */
export interface Waypoint {
  readonly path: string;
  /** `<device>:<inode>`, or null when nothing is there. */
  readonly key: string | null;
  readonly folderKey: string;
}

/** Where a walk ended. Paths are real: absolute, without links, `.` or `..`. */
export type WalkEnd =
  | { readonly kind: 'found'; readonly path: string; readonly stats: BigIntStats }
  /** Only the last name is missing; its folder exists. */
  | { readonly kind: 'missing'; readonly path: string }
  /** The kernel would refuse at `path`; `rest` is what was left to walk. */
  | {
      readonly kind: 'failed';
      readonly path: string;
      readonly rest: readonly string[];
      readonly code: string;
    };

export interface Walk {
  readonly waypoints: readonly Waypoint[];
  readonly end: WalkEnd;
  /** The folder that the end lies in, or is. */
  readonly folderStats: BigIntStats;
  /** Whether the last name, as given, is a symbolic link. */
  readonly endsInLink: boolean;
}

/**
 * Resolves a path as the kernel does (path_resolution(7)): name by name from the root, links
 * followed where they stand, `..` taken after the link. Each folder on the way is held by its
 * handle while the next name is looked up in it, and the last one is asked where it really is: a
 * rename between two steps makes the walk fail with `moved`, and never leads it astray. `start`
 * is the absolute, link-free folder for relative paths. No file is opened.
 */
export async function walkPath(
  start: string,
  path: string,
  files: FileSystem = nodeFiles,
): Promise<Walk> {
  const steps = new Steps(files, await openFolder(files, '/', '/'));
  try {
    const walk = await walkNames(
      steps,
      splitPath(path.startsWith('/') ? path : `${start}/${path}`),
    );
    return { ...walk, end: await confirmPlace(walk.end, steps.folder) };
  } finally {
    await steps.folder.close();
  }
}

/** The folder that a walk is in; the one before is closed when the next is open. */
class Steps {
  readonly files: FileSystem;
  folder: OpenFolder;

  constructor(files: FileSystem, root: OpenFolder) {
    this.files = files;
    this.folder = root;
  }

  /** Enters the folder at an address; answers the system's code when it does not let us. */
  async enter(address: string, path: string): Promise<string | null> {
    try {
      const next = await openFolder(this.files, address, path);
      await this.folder.close();
      this.folder = next;
      return null;
    } catch (error) {
      const code = codeOf(error);
      // A moment ago it was a folder.
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') throw moved(error);
      return code;
    }
  }
}

async function walkNames(steps: Steps, names: readonly string[]): Promise<Walk> {
  const waypoints: Waypoint[] = [];
  let rest = names;
  let links = 0;
  let endsInLink = false;
  /** What is not a folder, once the walk is at it. */
  let file: { readonly path: string; readonly stats: BigIntStats } | null = null;

  const endAt = (end: WalkEnd): Walk => {
    return { waypoints, end, endsInLink, folderStats: steps.folder.stats };
  };
  const fail = (path: string, code: string) => endAt({ kind: 'failed', path, rest, code });

  while (rest.length > 0) {
    const [name = '.', ...later] = rest;
    rest = later;
    if (file !== null) return fail(file.path, 'ENOTDIR');
    if (name === '.') continue;
    const { folder } = steps;
    const next = posix.join(folder.path, name);
    if (name === '..') {
      const refused = await steps.enter(folder.at('..'), next);
      if (refused !== null) return fail(next, refused);
      continue;
    }
    const looked = await look(steps.files, folder.at(name));
    const folderKey = inodeKey(folder.stats);
    if ('code' in looked) {
      waypoints.push({ path: next, key: null, folderKey });
      if (looked.code !== 'ENOENT' || rest.length > 0) return fail(next, looked.code);
      return endAt({ kind: 'missing', path: next });
    }
    const { stats, target } = looked;
    if (stats.isDirectory()) {
      const refused = await steps.enter(folder.at(name), next);
      const entered = refused === null ? steps.folder.stats : stats;
      waypoints.push({ path: next, key: inodeKey(entered), folderKey });
      if (refused !== null) return fail(next, refused);
      continue;
    }
    waypoints.push({ path: next, key: inodeKey(stats), folderKey });
    if (target === null) {
      file = { path: next, stats };
      continue;
    }
    if (rest.length === 0) endsInLink = true;
    links += 1;
    if (links > MAX_LINKS) return fail(next, 'ELOOP');
    rest = [...splitPath(target), ...rest];
    if (!target.startsWith('/')) continue;
    const refused = await steps.enter('/', '/');
    if (refused !== null) return fail(next, refused);
  }
  const { path, stats } = file ?? steps.folder;
  return endAt({ kind: 'found', path, stats });
}

/** The end as the kernel names it, now that its folder is held. Throws `moved`. */
async function confirmPlace(end: WalkEnd, folder: OpenFolder): Promise<WalkEnd> {
  const place = await folder.realPath();
  if (place === null || !isSamePlace(place, folder.path)) throw moved();
  const below = posix.relative(folder.path, end.path);
  return { ...end, path: posix.join(place, below) };
}

/** A closing slash means a folder, as `/.` does. */
function splitPath(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '');
  return path.endsWith('/') ? [...names, '.'] : names;
}

type Look =
  | { readonly stats: BigIntStats; readonly target: string | null }
  | { readonly code: string };

async function look(files: FileSystem, address: string): Promise<Look> {
  try {
    const stats = await files.lstat(address, { bigint: true });
    return { stats, target: stats.isSymbolicLink() ? await files.readlink(address) : null };
  } catch (error) {
    const code = codeOf(error);
    // It was a link a moment ago.
    if (code === 'EINVAL') throw moved(error);
    return { code };
  }
}

function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return code;
}

function moved(cause?: unknown): AgentHubError {
  return new AgentHubError(
    'moved',
    'A folder on the path was moved or replaced while it was looked up, so nothing was touched. Call again to have it inspected anew.',
    undefined,
    cause,
  );
}
