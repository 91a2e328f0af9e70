import { readFileSync } from 'node:fs';
import { usageError } from './usage-error.ts';

/** The bytes of a file named on the command line. @throws AgentHubError `usage` saying why not. */
export function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw usageError('unreadable', { file: path, code: String(code) });
  }
}

/** The same as text. */
export function readTextFile(path: string): string {
  return textOf(readBytes(path));
}

/** The same as JSON, telling line and column of what is none. */
export function readJsonFile(path: string): unknown {
  return parseJson(readBytes(path), path);
}

/** The JSON in the bytes of a file. @throws AgentHubError `usage` naming `path`, line and column. */
export function parseJson(bytes: Buffer, path: string): unknown {
  const text = textOf(bytes);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const { message } = thrown as SyntaxError;
    throw usageError('notJson', { file: `${path}${lineAndColumn(message, text)}`, message });
  }
}

function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufeff/u, '');
}

/** Line and column of a parser's position, such as `:3:14`. */
function lineAndColumn(message: string, text: string): string {
  const position = /position (\d+)/u.exec(message)?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return `:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}
