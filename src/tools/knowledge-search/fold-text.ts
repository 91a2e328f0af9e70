import traditionalPairs from 'opencc-js/dict/TSCharacters';
import { withoutInvisible } from '../../../machines/vocabulary/printable.ts';
import type { Steps } from './slices.ts';

let simplifiedByTraditional: ReadonlyMap<string, string> | null = null;

/** Made on first use: 4,000 characters, some milliseconds. */
function simplifiedForms(): ReadonlyMap<string, string> {
  simplifiedByTraditional ??= new Map(
    traditionalPairs.split('|').map((pair) => {
      const [traditional = '', simplified = ''] = pair.split(' ');
      return [traditional, simplified] as const;
    }),
  );
  return simplifiedByTraditional;
}

/**
 * Text in the form in which it is compared: compatibility forms and case folded, invisible
 * characters and thousands separators gone, Traditional Chinese as Simplified, white space as one
 * space and none at all between Han characters. Folding folded text changes nothing.
 */
export function fold(text: string): string {
  const forms = simplifiedForms();
  return (
    withoutInvisible(text.normalize('NFKC'))
      // Upper then lower folds what lower alone leaves (ß); the dot is what is left of İ.
      .toUpperCase()
      .toLowerCase()
      .replaceAll('\u0307', '')
      .replaceAll('ς', 'σ')
      .normalize('NFKC')
      .replace(/\p{Script=Han}/gu, (character) => forms.get(character) ?? character)
      .replace(/(?<=\d),(?=\d{3}(?!\d))/gu, '')
      .replace(/\s+/gu, ' ')
      .replace(SPACE_IN_HAN, '')
      .trim()
  );
}

const SPACE_IN_HAN = /(?<=\p{Script=Han}) (?=\p{Script=Han})/gu;

/** Characters that are folded in one step. */
const FOLD_LENGTH = 16_384;

/** As {@link fold}, in steps of some lines each: no form reaches from one line to the next. */
export function* foldInSteps(text: string): Steps<string> {
  const folded: string[] = [];
  for (let from = 0; from < text.length; ) {
    const line = text.indexOf('\n', from + FOLD_LENGTH);
    const end = line < 0 ? text.length : line;
    folded.push(fold(text.slice(from, end)));
    from = end + 1;
    yield;
  }
  if (folded.length < 2) return folded[0] ?? '';
  const joined = folded.filter((part) => part !== '').join(' ');
  return joined.replace(SPACE_IN_HAN, '');
}

/** Scripts written without spaces between words. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}`;
const RUNS = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');

/**
 * Folded text as tokens: words of scripts that write spaces, and overlapping pairs of characters
 * of those that do not (a single one stands for itself).
 */
export function tokenize(folded: string): string[] {
  const runs = folded.match(RUNS) ?? [];
  return runs.flatMap((run) => (IS_UNSPACED.test(run) ? pairs([...run]) : [run]));
}

function pairs(run: readonly string[]): string[] {
  if (run.length === 1) return [...run];
  return run.slice(1).map((character, index) => `${run[index]}${character}`);
}

/** The single characters of the scripts written without spaces, for finding what is only near. */
export function characters(folded: string): string[] {
  const runs = folded.match(RUNS) ?? [];
  return runs.flatMap((run) => (IS_UNSPACED.test(run) ? [...run] : []));
}
