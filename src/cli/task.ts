import type { Io } from './io.ts';
import { usageError } from './usage-error.ts';

/**
 * What a run is to do: the argument, or all of stdin for `-` and, where stdin is no terminal, for no
 * argument.
 * @throws AgentHubError `usage` for no task at all and for an empty one.
 */
export async function readTask(task: string | undefined, { stdin }: Io): Promise<string> {
  if (task === undefined && stdin.isTTY === true) throw usageError('noTask');
  const isGiven = task !== undefined && task !== '-';
  const text = isGiven ? task : await readAll(stdin);
  if (text.trim() === '') throw usageError(isGiven ? 'emptyTask' : 'emptyInput');
  return isGiven ? text : text.trim();
}

async function readAll(stdin: Io['stdin']): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/u, '');
}
