import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Io } from '../io.ts';
import { usageError } from '../usage-error.ts';
import { writeWhole } from '../write-whole.ts';
import { makeOwnFolder, userFolder } from './user-folder.ts';

/** The person's word for the very bytes of a file. */
export interface FileTrust {
  /** See `placeOf`. */
  readonly place: string;
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
}

const listSchema = z.strictObject({
  files: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/u)),
});

/** Digests by place. */
type Files = z.infer<typeof listSchema>['files'];

/** @throws AgentHubError `usage` for a list that cannot be read: then nothing counts as trusted. */
export function isTrustedFile({ place, digest }: FileTrust, env: Io['env']): boolean {
  return trustedFiles(env).some((one) => one.place === place && one.digest === digest);
}

/** The files that are trusted, with the digests they had. @throws AgentHubError `usage`. */
export function trustedFiles(env: Io['env']): readonly FileTrust[] {
  return Object.entries(read(env)).map(([place, digest]) => ({ place, digest }));
}

/** Records the person's word, in place of an earlier one. @throws AgentHubError `usage`, `not_written`. */
export async function trustFile({ place, digest }: FileTrust, env: Io['env']): Promise<void> {
  await write({ ...read(env), [place]: digest }, env);
}

/** Takes the person's word back; gives whether there was one. @throws as {@link trustFile} does. */
export async function revokeFile(place: string, env: Io['env']): Promise<boolean> {
  const { [place]: revoked, ...others } = read(env);
  if (revoked === undefined) return false;
  await write(others, env);
  return true;
}

function listFile(env: Io['env']): string | null {
  const folder = userFolder(env);
  return folder === null ? null : join(folder, 'trusted.json');
}

function read(env: Io['env']): Files {
  const file = listFile(env);
  if (file === null || !existsSync(file)) return {};
  try {
    return listSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).files;
  } catch {
    throw usageError('trustDamaged', { file });
  }
}

async function write(files: Files, env: Io['env']): Promise<void> {
  const [folder, file] = [userFolder(env), listFile(env)];
  if (folder === null || file === null) throw usageError('noHome');
  await makeOwnFolder(folder);
  await writeWhole(file, `${JSON.stringify({ files }, null, 2)}\n`);
}
