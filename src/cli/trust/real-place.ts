import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/** A path without links, as far as it is there. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}

/**
 * Where a file lies: its real folder and its name there. A link to a file lies where the link is,
 * because relative folders in the file start from there.
 */
export function placeOf(file: string): string {
  return join(realPath(dirname(resolve(file))), basename(file));
}

/** Whether a path is the folder or in it, links followed. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(realPath(folder), realPath(path));
  return way !== '..' && !way.startsWith(`..${sep}`) && resolve(way) !== way;
}
