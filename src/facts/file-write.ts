import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import * as nodeFiles from 'node:fs/promises';
import { posix } from 'node:path';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { JsonObject } from '../../machines/vocabulary/json.ts';
import { isSameFile, type OutputIdentity, readOutputIdentity } from './identity.ts';

/** The part of `node:fs/promises` that writing needs; tests hand in one that fails. */
export type WriteFiles = Pick<typeof nodeFiles, 'open' | 'lstat' | 'link' | 'rename' | 'unlink'>;

/** How an inspected output is written. */
export interface WriteOptions {
  readonly signal: AbortSignal;
  /** Whether replacing what was inspected was granted; otherwise nothing may stand there. */
  readonly overwrite: boolean;
  readonly files?: WriteFiles;
}

/**
 * Writes an inspected output whole or not at all: into a temporary file in the same folder, which
 * is then moved into place, by `link` (which never replaces) when overwriting was not granted,
 * by `rename` when it was and the old file is still the one that was inspected. The temporary
 * file is removed in every case. A link planted at the output is never followed.
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
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const folder = await files.open(posix.dirname(output.path), flags).catch((error) => {
    throw changed(error);
  });
  try {
    const stats = await folder.stat({ bigint: true });
    if (String(stats.dev) !== output.folder.dev || String(stats.ino) !== output.folder.ino) {
      throw changed();
    }
    const base = await stableBase(folder.fd, stats, posix.dirname(output.path));
    await writeInFolder(base, output, { content, options, files });
  } finally {
    await folder.close();
  }
}

/**
 * A name for the open folder that a later swap of one of its parents does not redirect: Linux
 * offers one below /proc; elsewhere the path itself is the best there is.
 */
async function stableBase(fd: number, stats: BigIntStats, path: string): Promise<string> {
  const viaHandle = `/proc/self/fd/${fd}`;
  const seen = await nodeFiles.stat(viaHandle, { bigint: true }).catch(() => null);
  return seen?.ino === stats.ino && seen.dev === stats.dev ? viaHandle : path;
}

async function writeInFolder(
  base: string,
  output: OutputIdentity,
  work: {
    readonly content: Uint8Array;
    readonly options: WriteOptions;
    readonly files: WriteFiles;
  },
): Promise<void> {
  const { content, options, files } = work;
  const target = `${base}/${posix.basename(output.path)}`;
  const temporary = `${base}/.agenthub-${randomBytes(8).toString('hex')}.tmp`;
  await requireUnchanged(target, output, work);
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
  { options, files }: { readonly options: WriteOptions; readonly files: WriteFiles },
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
