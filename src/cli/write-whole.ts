import { randomBytes } from 'node:crypto';
import { access, constants, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { say } from './texts.ts';

/** Writes a file under another name and moves it into place: there is all of it, or what was. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const name = `.${basename(file)}.${randomBytes(4).toString('hex')}.tmp`;
  const temporary = join(dirname(file), name);
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw notWritten(file, thrown);
  }
}

/**
 * Whether a file can be written later, asked before long work; nothing is left behind.
 * @throws AgentHubError `not_written` in the words of `writeWhole`.
 */
export async function checkWritable(file: string): Promise<void> {
  try {
    await access(dirname(file), constants.W_OK | constants.X_OK);
    const existing = await open(file, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    await existing?.close();
  } catch (thrown) {
    throw notWritten(file, thrown);
  }
}

function notWritten(file: string, thrown: unknown): AgentHubError<'not_written'> {
  const values = { file, why: (thrown as NodeJS.ErrnoException).code ?? String(thrown) };
  return new AgentHubError('not_written', say('en', 'notWritten', values), {
    says: 'notWritten',
    values,
  });
}
