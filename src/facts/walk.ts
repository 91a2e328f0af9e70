import type { BigIntStats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { posix } from 'node:path';

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
  | {
      readonly kind: 'missing';
      readonly path: string;
      readonly folder: string;
      readonly folderStats: BigIntStats;
    }
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
  /** Whether the last name, as given, is a symbolic link. */
  readonly endsInLink: boolean;
}

/** `<device>:<inode>`. */
export function inodeKey(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}`;
}

/**
 * Resolves a path as the kernel does (path_resolution(7)): name by name, links followed where
 * they stand, `..` taken after the link. Opens nothing. `start` is the absolute, link-free
 * folder for relative paths. Rejects only with file system errors other than those of a path.
 */
export async function walkPath(start: string, path: string): Promise<Walk> {
  const waypoints: Waypoint[] = [];
  let current = path.startsWith('/') ? '/' : start;
  let stats = await lstat(current, { bigint: true });
  let rest = splitPath(path);
  let links = 0;
  let endsInLink = false;

  const fail = (at: string, code: string): Walk => ({
    waypoints,
    end: { kind: 'failed', path: at, rest, code },
    endsInLink,
  });

  while (rest.length > 0) {
    const [name = '.', ...later] = rest;
    rest = later;
    if (!stats.isDirectory()) return fail(current, 'ENOTDIR');
    if (name === '.') continue;
    if (name === '..') {
      current = posix.dirname(current);
      stats = await lstat(current, { bigint: true });
      continue;
    }
    const next = posix.join(current, name);
    const looked = await look(next);
    const folderKey = inodeKey(stats);
    if ('code' in looked) {
      waypoints.push({ path: next, key: null, folderKey });
      if (looked.code !== 'ENOENT' || rest.length > 0) return fail(next, looked.code);
      const end = { kind: 'missing', path: next, folder: current, folderStats: stats } as const;
      return { waypoints, end, endsInLink };
    }
    waypoints.push({ path: next, key: inodeKey(looked.stats), folderKey });
    if (looked.target === null) {
      current = next;
      stats = looked.stats;
      continue;
    }
    if (rest.length === 0) endsInLink = true;
    links += 1;
    if (links > MAX_LINKS) return fail(next, 'ELOOP');
    rest = [...splitPath(looked.target), ...rest];
    if (looked.target.startsWith('/')) {
      current = '/';
      stats = await lstat('/', { bigint: true });
    }
  }
  return { waypoints, end: { kind: 'found', path: current, stats }, endsInLink };
}

/** A closing slash means a folder, as `/.` does. */
function splitPath(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '');
  return path.endsWith('/') ? [...names, '.'] : names;
}

type Look =
  | { readonly stats: BigIntStats; readonly target: string | null }
  | { readonly code: string };

async function look(path: string): Promise<Look> {
  try {
    const stats = await lstat(path, { bigint: true });
    return { stats, target: stats.isSymbolicLink() ? await readlink(path) : null };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { code };
  }
}
