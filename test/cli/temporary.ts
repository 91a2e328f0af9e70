import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, onTestFinished } from 'vitest';

/** A fresh folder that goes away with the test, with the given files; objects are written as JSON. */
export async function temporaryFolder(
  files: Readonly<Record<string, string | object>> = {},
): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthub-cli-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files))
    await writeFile(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  return folder;
}

/** Where the tests' person keeps their own configuration: never in the home of who runs them. */
export const USER_CONFIG = join(tmpdir(), `agenthub-user-${process.pid}`);
afterAll(() => rm(USER_CONFIG, { recursive: true, force: true }));

/** The same, with pictures of 64 × 40. */
export async function pictureFolder(...names: readonly string[]): Promise<string> {
  const folder = await temporaryFolder();
  const picture = { width: 64, height: 40, channels: 3, background: '#48c' } as const;
  for (const name of names) await sharp({ create: picture }).toFile(join(folder, name));
  return folder;
}
