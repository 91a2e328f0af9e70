import type { CommonFlags } from './flags.ts';

const REPEATED = [
  ['--config', 'config'],
  ['--extension', 'extension'],
  ['--provider', 'provider'],
  ['--model', 'model'],
  ['--base-url', 'baseUrl'],
  ['--protocol', 'protocol'],
  ['--locale', 'locale'],
  ['--knowledge', 'knowledge'],
  ['--store', 'store'],
] as const satisfies readonly (readonly [string, keyof CommonFlags])[];

/** A command as it can be pasted into a shell, with the flags that this one was given. */
export function commandLine(words: readonly string[], flags: CommonFlags): string {
  const again = REPEATED.flatMap(([flag, name]) => {
    const value = flags[name];
    return typeof value === 'string' ? [flag, value] : [];
  });
  const ignoring = flags.ignoreConfig === true ? ['--ignore-config'] : [];
  return ['agenthub', ...words, ...again, ...ignoring].map(quoted).join(' ');
}

function quoted(word: string): string {
  if (/^[\w.:/@%+=,-]+$/u.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
