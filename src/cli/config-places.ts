import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Locale } from '../../machines/vocabulary/json.ts';
import type { Setting, Settings } from './config.ts';
import { packageFolder } from './package-folder.ts';
import { say } from './texts.ts';
import { isWithin, realPath } from './trust/real-place.ts';

const QUIETLY = { throwIfNoEntry: false } as const;

/** Configured folders that are not there, a line for each. */
export function missingFolders(
  name: string,
  setting: Setting | undefined,
  { cwd, locale }: { readonly cwd: string; readonly locale: Locale },
): string[] {
  return (
    [setting?.value ?? []]
      .flat()
      .map((folder) => resolve(cwd, String(folder)))
      // A private area may be a file; one that is not there is a typing error that leaves another open.
      .filter((folder) =>
        name === 'files.private' ? !existsSync(folder) : !statSync(folder, QUIETLY)?.isDirectory(),
      )
      .map((folder) =>
        [setting?.from, name, say(locale, 'noFolder', { folder })].filter(Boolean).join(': '),
      )
  );
}

/** A folder can bring a link at a place that is used unasked: what is elsewhere takes a person's word. */
export function leadingOut(
  name: string,
  settings: Settings,
  { cwd, locale }: { readonly cwd: string; readonly locale: Locale },
): readonly string[] {
  const { value, source, isTrusted } = settings.get(name) ?? {};
  const isPersons = source === 'environment' || source === 'flag' || isTrusted === true;
  const own = name === 'store' ? value : resolve(cwd, 'knowledge');
  if (isPersons || (name === 'knowledge' && source === 'file')) return [];
  if (typeof own !== 'string' || isWithin(cwd, own)) return [];
  const values = { path: own, real: realPath(own), name };
  return [`${name}: ${say(locale, 'leadsOut', values)}`];
}

/** The working folder's own knowledge, or the demo shop's that comes with the package. */
export function defaultKnowledge(cwd: string): string {
  const own = resolve(cwd, 'knowledge');
  return existsSync(own) && isWithin(cwd, own) ? own : join(packageFolder(), 'knowledge');
}
