import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { digestOf } from '../digest.ts';
import type { Io } from '../io.ts';
import { usageError } from '../usage-error.ts';
import { writeWhole } from '../write-whole.ts';
import { placeOf } from './real-place.ts';
import { makeOwnFolder, userFolder } from './user-folder.ts';

/**
 * A database of runs that this person made or trusted: where it lies, and which file it is. One that
 * is unpacked, checked out or copied over it is another file.
 */
const entrySchema = z.strictObject({
  place: z.string(),
  inode: z.string(),
  /** Nanoseconds, or null where the file system keeps no time of birth. */
  born: z.string().nullable(),
  by: z.enum(['made', 'trusted']),
});

/** An entry for one database. */
export type KnownStore = z.infer<typeof entrySchema>;

/** Whether a database was made or trusted by this person. What cannot be read vouches for nothing. */
export function isKnownStore(file: string, env: Io['env']): boolean {
  const known = readEntry(entryFile(file, env));
  const now = identityOf(file);
  if (known === null || now === null) return false;
  return (['place', 'inode', 'born'] as const).every((part) => known[part] === now[part]);
}

/**
 * Records that a database was made here, or is trusted. An entry of its own for each: processes that
 * make databases at the same time do not lose each other's.
 * @throws AgentHubError `usage` where there is no home folder, `not_written`.
 */
export async function rememberStore(
  file: string,
  { by, env }: Pick<KnownStore, 'by'> & Pick<Io, 'env'>,
): Promise<void> {
  const folder = storesFolder(env);
  const [entry, identity] = [entryFile(file, env), identityOf(file)];
  if (folder === null || entry === null || identity === null) throw usageError('noHome');
  await makeOwnFolder(folder);
  await writeWhole(entry, `${JSON.stringify({ ...identity, by } satisfies KnownStore)}\n`);
}

/** Forgets a database; gives whether it was known. */
export function forgetStore(file: string, env: Io['env']): boolean {
  const entry = entryFile(file, env);
  if (entry === null || readEntry(entry) === null) return false;
  rmSync(entry, { force: true });
  return true;
}

/** Every database that is known. */
export function knownStores(env: Io['env']): readonly KnownStore[] {
  const folder = storesFolder(env);
  if (folder === null || statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(folder)
    .map((name) => readEntry(join(folder, name)))
    .filter((entry) => entry !== null);
}

function storesFolder(env: Io['env']): string | null {
  const folder = userFolder(env);
  return folder === null ? null : join(folder, 'stores');
}

function entryFile(file: string, env: Io['env']): string | null {
  const folder = storesFolder(env);
  const name = digestOf(placeOf(file)).slice(0, 32);
  return folder === null ? null : join(folder, `${name}.json`);
}

function readEntry(entry: string | null): KnownStore | null {
  if (entry === null) return null;
  try {
    return entrySchema.parse(JSON.parse(readFileSync(entry, 'utf8')));
  } catch {
    return null;
  }
}

function identityOf(file: string): Omit<KnownStore, 'by'> | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return null;
  const { ino, birthtimeNs } = found;
  return {
    place: placeOf(file),
    inode: `${ino}`,
    born: birthtimeNs > 0n ? `${birthtimeNs}` : null,
  };
}
