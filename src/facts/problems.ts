import type { ErrorData } from '../../machines/vocabulary/errors.ts';
import type { FileOperation } from './verdict.ts';
import type { Walk } from './walk.ts';

/**
 * Why a path that is not private cannot be used for a file, or null. `shown` is the path as the
 * model wrote it: real paths stay out of what it is told.
 */
export function findFileProblem(
  walk: Walk,
  operation: FileOperation,
  shown: string,
): ErrorData | null {
  const { end } = walk;
  const problem = (code: string, text: string): ErrorData => ({
    code,
    message: `${JSON.stringify(shown)}: ${text}`,
  });
  if (end.kind === 'failed') {
    const text = FAILURES[end.code] ?? `the system answered ${end.code}`;
    if (end.code !== 'ENOENT') return problem('invalid_path', text);
    return operation === 'read'
      ? problem('not_found', 'there is no such file')
      : problem('invalid_path', 'its folder does not exist, and none is made');
  }
  if (end.kind === 'missing') {
    if (operation === 'read') return problem('not_found', 'there is no such file');
    return walk.endsInLink
      ? problem('invalid_path', 'it is a symbolic link to a file that does not exist')
      : null;
  }
  if (end.stats.isDirectory()) return problem('not_a_file', 'it is a folder, not a file');
  if (!end.stats.isFile()) return problem('not_a_file', 'it is not a regular file');
  if (end.stats.nlink > 1n) {
    return problem('hard_link', 'the file has further names (hard links), so it is refused');
  }
  return null;
}

const FAILURES: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of it that should be a folder is a file',
  ELOOP: 'it has too many symbolic links',
  EACCES: 'the system does not let this program look there',
  ENAMETOOLONG: 'it is too long',
};
