import { readFileSync } from 'node:fs';
import { usageError } from './usage-error.ts';

/** The text of a file named on the command line. @throws AgentHubError `usage` saying why not. */
export function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/u, '');
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw usageError('unreadable', { file: path, code: String(code) });
  }
}

/** The same as JSON, telling line and column of what is none. */
export function readJsonFile(path: string): unknown {
  const text = readTextFile(path);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const { message } = thrown as SyntaxError;
    throw usageError('notJson', { file: `${path}${placeOf(message, text)}`, message });
  }
}

/** Line and column of a parser's position, such as `:3:14`. */
function placeOf(message: string, text: string): string {
  const position = /position (\d+)/u.exec(message)?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return `:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}
