import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/** Links that are followed one by one before a path counts as leading nowhere. */
const MAX_LINKS = 40;

/** A path without links, as far as it is there; a link to what is not there yet is followed too. */
export function realPath(path: string, links = MAX_LINKS): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    if (folder === path) return path;
    const real = join(realPath(folder, links), basename(path));
    const target = links > 0 ? linkAt(real) : null;
    return target === null ? real : realPath(resolve(dirname(real), target), links - 1);
  }
}

/** What a link says, or null where there is none. */
function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
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
