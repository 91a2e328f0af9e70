import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import * as nodeFiles from 'node:fs/promises';
import { posix } from 'node:path';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { JsonObject } from '../../machines/vocabulary/json.ts';
import type { FileSystem } from './file-system.ts';
import { isSameFile, type OutputIdentity, readOutputIdentity } from './identity.ts';
import { type OpenFolder, openFolder } from './open-folder.ts';

/** How an inspected output is written. */
export interface WriteOptions {
  readonly signal: AbortSignal;
  /** Whether replacing what was inspected was granted; otherwise nothing may stand there. */
  readonly overwrite: boolean;
  readonly files?: FileSystem;
}

/**
 * Writes an inspected output whole or not at all: into a temporary file in the same folder, which
 * is then moved into place, by `link` (which never replaces) when overwriting was not granted,
 * by `rename` when it was and the old file is still the one that was inspected. The folder is
 * held by its handle from the first look to the move, and looked at again right before it: it has
 * to lie where it was inspected. The temporary file is removed in every case. A link planted at the
 * output is never followed.
 *
 * Throws `file_changed`, `output_exists`, or `write_failed` with the system's reason.
 */
export async function writeApproved(
  value: JsonObject,
  content: Uint8Array,
  options: WriteOptions,
): Promise<void> {
  const output = readOutputIdentity(value);
  const files = options.files ?? nodeFiles;
  options.signal.throwIfAborted();
  const path = posix.dirname(output.path);
  const folder = await openFolder(files, path, path).catch((error) => {
    throw changed(error);
  });
  try {
    const { dev, ino } = folder.stats;
    if (String(dev) !== output.folder.dev || String(ino) !== output.folder.ino) throw changed();
    await writeInFolder(folder, output, { content, options, files });
  } finally {
    await folder.close();
  }
}

async function writeInFolder(
  folder: OpenFolder,
  output: OutputIdentity,
  work: {
    readonly content: Uint8Array;
    readonly options: WriteOptions;
    readonly files: FileSystem;
  },
): Promise<void> {
  const { content, options, files } = work;
  const target = folder.at(posix.basename(output.path));
  const temporary = folder.at(`.agenthub-${randomBytes(8).toString('hex')}.tmp`);
  await requireUnchanged(target, output, work);
  if (!(await folder.isInPlace())) throw changed();
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    const handle = await files.open(temporary, flags, 0o666);
    try {
      await handle.writeFile(content, { signal: options.signal });
      await handle.sync();
    } finally {
      await handle.close();
    }
    options.signal.throwIfAborted();
    await requireUnchanged(target, output, work);
    if (!(await folder.isInPlace())) throw changed();
    if (options.overwrite) await files.rename(temporary, target);
    else await files.link(temporary, target);
  } catch (error) {
    throw explain(error, options.signal);
  } finally {
    await files.unlink(temporary).catch(ignoreMissing);
  }
}

async function requireUnchanged(
  target: string,
  output: OutputIdentity,
  { options, files }: { readonly options: WriteOptions; readonly files: FileSystem },
): Promise<void> {
  const stats = await files.lstat(target, { bigint: true }).catch(ignoreMissing);
  if (options.overwrite) {
    if (stats === undefined || output.existing === null) throw changed();
    const isInspected = isSameFile(stats, output.existing);
    if (!isInspected || !stats.isFile() || stats.nlink > 1n) throw changed();
    return;
  }
  if (stats !== undefined) throw exists();
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function explain(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof AgentHubError) return error;
  const { code = 'an unknown error' } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') return exists();
  const reason = code === 'ENOSPC' ? 'the disk is full' : `the system answered ${code}`;
  return new AgentHubError(
    'write_failed',
    `The output could not be written: ${reason}. Nothing was left behind.`,
    undefined,
    error,
  );
}

function exists(): AgentHubError {
  return new AgentHubError(
    'output_exists',
    'The output appeared after it was inspected, and overwriting was not granted. Choose another name or call again.',
  );
}

function changed(cause?: unknown): AgentHubError {
  return new AgentHubError(
    'file_changed',
    'The output or its folder is not what was inspected: it was changed, moved or replaced. Call again to have it inspected anew.',
    undefined,
    cause,
  );
}
