import type { BigIntStats } from 'node:fs';
import { posix } from 'node:path';
import { isWithin, privateRelation } from './areas.ts';
import { inodeKey } from './identity.ts';
import type { Walk } from './walk.ts';

/** What a path is for. */
export type FileOperation = 'read' | 'write';

/**
 * `outside`: the policy asks. `private`: always refused. `hardlink`: the file has other names
 * that no path check can see. `invalid` and `not_found`: it cannot be used at all.
 */
export type PathVerdict =
  | 'allow'
  | 'allow_overwrite'
  | 'outside'
  | 'private'
  | 'hardlink'
  | 'invalid'
  | 'not_found';

/** The areas a verdict is given against. Paths are absolute and normalised. */
export interface Areas {
  /** Real paths. */
  readonly allowed: readonly string[];
  /** As configured and as resolved. */
  readonly private: readonly string[];
  /** `<device>:<inode>` of the private folders that exist. */
  readonly privateKeys: ReadonlySet<string>;
}

/**
 * Whether a walk touches a private area: it ends at or in one, it passes through something
 * inside one, it fails at one (so that what exists there does not show), or its text names one.
 * Passing the private folder itself on the way out (`private/../a`) tells nothing.
 */
function touchesPrivate(walk: Walk, areas: Areas, lexicalPath: string): boolean {
  const { end } = walk;
  const isPrivate = (path: string) =>
    areas.private.some((area) => privateRelation(area, path) !== 'apart');
  if (isPrivate(lexicalPath) || isPrivate(end.path)) return true;
  if (end.kind === 'failed' && isPrivate(posix.join(end.path, ...end.rest))) return true;
  if (end.kind === 'found' && areas.privateKeys.has(inodeKey(end.stats))) return true;
  return walk.waypoints.some(
    ({ path, folderKey }) =>
      areas.privateKeys.has(folderKey) ||
      areas.private.some((area) => privateRelation(area, path) === 'inside'),
  );
}

/** The verdict on a walked path. Pure. `private` comes before anything else that could show. */
export function judge(
  walk: Walk,
  operation: FileOperation,
  context: { readonly areas: Areas; readonly lexicalPath: string },
): PathVerdict {
  if (touchesPrivate(walk, context.areas, context.lexicalPath)) return 'private';
  if (!context.areas.allowed.some((area) => isWithin(area, walk.end.path))) return 'outside';
  return judgeEnd(walk, operation);
}

/** The verdict on what stands at the end of a walk, wherever that is. Pure. */
function judgeEnd(walk: Walk, operation: FileOperation): PathVerdict {
  const { end } = walk;
  if (end.kind === 'missing') return operation === 'write' ? 'allow' : 'not_found';
  if (end.kind === 'failed') {
    return end.code === 'ENOENT' && operation === 'read' ? 'not_found' : 'invalid';
  }
  return operation === 'write' ? judgeWrite(end.stats) : judgeRead(end.stats);
}

function judgeRead(stats: BigIntStats): PathVerdict {
  if (stats.isDirectory()) return 'allow';
  if (!stats.isFile()) return 'invalid';
  return stats.nlink > 1n ? 'hardlink' : 'allow';
}

function judgeWrite(stats: BigIntStats): PathVerdict {
  if (!stats.isFile()) return 'invalid';
  return stats.nlink > 1n ? 'hardlink' : 'allow_overwrite';
}
