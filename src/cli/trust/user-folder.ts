import { mkdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Io } from '../io.ts';

/**
 * The person's own configuration folder, or null where the environment names no home. A relative
 * path does not count: it would be a folder of wherever the command runs.
 */
export function userFolder(env: Io['env']): string | null {
  const named = [env.XDG_CONFIG_HOME, env.APPDATA].find(isUsable);
  if (named !== undefined) return join(named, 'agenthub');
  const home = [env.HOME, env.USERPROFILE].find(isUsable);
  return home === undefined ? null : join(home, '.config', 'agenthub');
}

function isUsable(path: string | undefined): path is string {
  return path !== undefined && isAbsolute(path);
}

/** Makes a folder that nobody else may look into. */
export async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}
