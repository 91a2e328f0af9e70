import type { BigIntStats } from 'node:fs';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { JsonObject } from '../../machines/vocabulary/json.ts';

/**
 * A file as it was inspected. Numbers are decimal text: inodes and nanoseconds do not fit a
 * JavaScript number. The change time is in it because a writer can set the modification time back.
 */
export type FileIdentity = {
  readonly dev: string;
  readonly ino: string;
  readonly size: string;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
};

/** An input: where it really is, and what is there. */
export type InputIdentity = { readonly path: string; readonly file: FileIdentity };

/** An output: its real path, the folder it lies in, and what stands there already. */
export type OutputIdentity = {
  readonly path: string;
  readonly folder: { readonly dev: string; readonly ino: string };
  readonly existing: FileIdentity | null;
};

/** `<device>:<inode>`. */
export function inodeKey(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}`;
}

/** What a file was when it was looked at. */
export function identityOf(stats: BigIntStats): FileIdentity {
  return {
    dev: String(stats.dev),
    ino: String(stats.ino),
    size: String(stats.size),
    mtimeNs: String(stats.mtimeNs),
    ctimeNs: String(stats.ctimeNs),
  };
}

/** Whether a file is still what it was. */
export function isSameFile(stats: BigIntStats, identity: FileIdentity): boolean {
  const now = identityOf(stats);
  return (Object.keys(now) as (keyof FileIdentity)[]).every((key) => now[key] === identity[key]);
}

/** Reads an identity back from facts. Throws `identity_invalid` when it is not one. */
export function readInputIdentity(value: JsonObject): InputIdentity {
  if (typeof value.path === 'string' && isFileIdentity(value.file)) return value as InputIdentity;
  throw invalid();
}

/** Reads an identity back from facts. Throws `identity_invalid` when it is not one. */
export function readOutputIdentity(value: JsonObject): OutputIdentity {
  const folder = value.folder as { dev?: unknown; ino?: unknown } | null | undefined;
  const folderIsRight = typeof folder?.dev === 'string' && typeof folder.ino === 'string';
  const existingIsRight = value.existing === null || isFileIdentity(value.existing);
  if (typeof value.path === 'string' && folderIsRight && existingIsRight) {
    return value as OutputIdentity;
  }
  throw invalid();
}

function isFileIdentity(value: unknown): value is FileIdentity {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Record<string, unknown>;
  return ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'].every(
    (key) => typeof members[key] === 'string',
  );
}

function invalid(): AgentHubError {
  return new AgentHubError(
    'identity_invalid',
    'The facts of this call do not say which file was inspected; inspect it again.',
  );
}
