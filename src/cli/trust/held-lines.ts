import type { Locale } from '../../../machines/vocabulary/json.ts';
import { exactLine } from '../../../machines/vocabulary/printable.ts';
import { say } from '../texts.ts';
import type { HeldBack } from './judge.ts';

/** Characters of a value that are shown; `agenthub config` shows all of them. */
const SHOWN = 400;

/** What a file would do, a line for each setting, nothing in them invisible. */
export function heldLines(held: readonly HeldBack[], locale: Locale): readonly string[] {
  return held.map(
    (one) => `  - ${exactLine(one.name)}${locale === 'zh' ? '：' : ': '}${sayHeld(one, locale)}`,
  );
}

/** What a held back value would do. */
export function sayHeld({ would, value }: HeldBack, locale: Locale): string {
  return would[locale].replaceAll('{value}', () => shown(value, locale));
}

function shown(value: unknown, locale: Locale): string {
  const text = exactLine(typeof value === 'string' ? value : JSON.stringify(value));
  if (text.length <= SHOWN) return text;
  return `${text.slice(0, SHOWN)}${say(locale, 'moreCharacters', { more: text.length - SHOWN })}`;
}
