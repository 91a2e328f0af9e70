import { posix } from 'node:path';
import { withoutInvisible } from '../../machines/vocabulary/printable.ts';

/** Names a file system may treat as equal get one key: decomposed, case-folded, invisibles dropped. */
function foldName(name: string): string {
  const folded = withoutInvisible(name.normalize('NFD'))
    // Upper then lower folds what lower alone leaves (long s, Kelvin sign).
    .toUpperCase()
    .toLowerCase()
    .normalize('NFD');
  const trimmed = folded.replace(/[. ]+$/u, '');
  return trimmed === '' ? folded : trimmed;
}

/**
 * The key under which private areas are compared: as loose as any file system in use
 * (case-insensitive, normalising, dropping trailing dots and spaces), because a false match
 * only refuses.
 */
function foldPath(path: string): string {
  return path.split('/').map(foldName).join('/');
}

/** Where `path` stands to `area`; both absolute, without `.` or `..`. */
function relationTo(area: string, path: string): 'same' | 'inside' | 'apart' {
  if (path === area) return 'same';
  return path.startsWith(area === '/' ? '/' : `${area}/`) ? 'inside' : 'apart';
}

/** Whether `path` is `area` or inside it, compared exactly, component by component. */
export function isWithin(area: string, path: string): boolean {
  return relationTo(area, path) !== 'apart';
}

/** As {@link relationTo}, compared as loosely as {@link foldPath} does. */
export function privateRelation(area: string, path: string): 'same' | 'inside' | 'apart' {
  return relationTo(foldPath(posix.normalize(area)), foldPath(posix.normalize(path)));
}
