import { Buffer } from 'node:buffer';
import { isMisleading } from '../../machines/vocabulary/printable.ts';

/** The kernel's limits, in bytes: `PATH_MAX` counts the closing NUL, `NAME_MAX` does not. */
const PATH_BYTES = 4095;
const NAME_BYTES = 255;

/**
 * What is wrong with a path as text, in words for the model, or null. Nothing is decoded,
 * normalised or expanded: `%2e`, `~` and `$HOME` are names like any other.
 */
export function findPathTextProblem(path: unknown): string | null {
  if (typeof path !== 'string') return 'a path must be a string';
  if (path.trim() === '') return 'the path is empty';
  if (path.includes('\0')) return 'the path contains a NUL character';
  // A person who approves such a path sees something else than what is opened.
  if (isMisleading(path)) return 'the path contains a control, line break or direction character';
  // A lone surrogate has no UTF-8 form; what would be opened is another name.
  if (/\p{Cs}/u.test(path)) return 'the path is not well-formed Unicode';
  if (Buffer.byteLength(path) > PATH_BYTES) return `the path is longer than ${PATH_BYTES} bytes`;
  if (path.split('/').some((name) => Buffer.byteLength(name) > NAME_BYTES)) {
    return `a name in the path is longer than ${NAME_BYTES} bytes`;
  }
  return null;
}
