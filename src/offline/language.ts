import type { Locale } from '../../machines/vocabulary/json.ts';
import { maskFiles } from './file-names.ts';

/** The language of a person's words, whatever the language of the names and quotes in them. */
export function localeOf(prompt: string): Locale {
  const words = maskFiles(prompt.slice(0, 8_000)).text.replace(/[“"「『][^”"」』]*[”"」』]/gu, ' ');
  const hasWords = /[\p{Script=Han}A-Za-z]/u.test(words);
  return /\p{Script=Han}/u.test(hasWords ? words : prompt) ? 'zh' : 'en';
}
