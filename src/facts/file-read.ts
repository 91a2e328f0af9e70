import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import * as nodeFiles from 'node:fs/promises';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { JsonObject } from '../../machines/vocabulary/json.ts';
import type { FileSystem } from './file-system.ts';
import { isSameFile, readInputIdentity } from './identity.ts';
import { isSamePlace, realPathOf } from './open-folder.ts';

/** How an inspected file is read. */
export interface ReadOptions {
  readonly signal: AbortSignal;
  /** A larger file is refused with `too_large`. */
  readonly maxBytes: number;
  readonly files?: FileSystem;
}

/**
 * Reads the file that was inspected, and no other: it is opened once, without following a last
 * link and without waiting for a pipe, and checked through its handle before and after reading:
 * it is the same file, and it lies where it was inspected.
 */
export async function readApproved(value: JsonObject, options: ReadOptions): Promise<Uint8Array> {
  const { path, file } = readInputIdentity(value);
  const { files = nodeFiles } = options;
  if (Number(file.size) > options.maxBytes) {
    throw new AgentHubError(
      'too_large',
      `The file has ${file.size} bytes; at most ${options.maxBytes} are read.`,
    );
  }
  options.signal.throwIfAborted();
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await files.open(path, flags).catch((error) => {
    throw changed(error);
  });
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile() || stats.nlink > 1n || !isSameFile(stats, file)) throw changed();
    if (!isSamePlace(await realPathOf(files, handle, path), path)) throw changed();
    const content = Buffer.alloc(Number(file.size));
    let length = 0;
    while (length < content.length) {
      options.signal.throwIfAborted();
      const { bytesRead } = await handle.read(content, length, content.length - length, length);
      if (bytesRead === 0) throw changed();
      length += bytesRead;
    }
    if (!isSameFile(await handle.stat({ bigint: true }), file)) throw changed();
    return content;
  } finally {
    await handle.close();
  }
}

function changed(cause?: unknown): AgentHubError {
  return new AgentHubError(
    'file_changed',
    'The input file is not the one that was inspected: it was changed, moved or replaced. Call again to have it inspected anew.',
    undefined,
    cause,
  );
}
