import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { LocalizedText } from '../../../machines/vocabulary/json.ts';
import { fold } from './fold-text.ts';

/** The most keywords of one search, and the most characters of all of them together. */
const MAX_KEYWORDS = 32;
const MAX_KEYWORD_CHARACTERS = 512;

/** A keyword, folded. */
export interface Keyword {
  readonly text: string;
  /** A word that says nothing about a subject, such as `how`. */
  readonly isWeak: boolean;
}

const SILENT = /^[\p{P}\p{Z}\p{C}]*$/u;

/** Marks of a sentence around a keyword; `#`, `%`, `*`, `/` and the like may belong to a name. */
const EDGES = /^["'“”‘’「『《〈（(【[]+|[.,;:!?。，、；：！？…"'“”‘’」』》〉）)】\]]+$/gu;

const WEAK = new Set(
  'a about after an and any are as at be before by can could do does for from get had has have how i if in is it its know long make many me much my need not of on or our please should so take takes tell than that the their then there these they this to want was we what when where which who why will with would you your'.split(
    ' ',
  ),
);

/** Words of a Chinese question; most specific first, as they contain each other. */
const QUESTION =
  /可不可以|能不能|是不是|有没有|怎么办|怎么样|多少钱|为什么|请问|怎么|如何|什么|多久|多少|几天|可以|能否|是否|哪里|哪些|吗|呢|吧/gu;

/** What is wrong with the keywords of a search, for the model; null when they can be searched. */
export function findKeywordProblem(keywords: string): LocalizedText | null {
  if ([...keywords].length > MAX_KEYWORD_CHARACTERS) {
    return {
      zh: `关键词总共最多 ${MAX_KEYWORD_CHARACTERS} 个字符`,
      en: `the keywords have at most ${MAX_KEYWORD_CHARACTERS} characters in all`,
    };
  }
  if (splitWords(keywords).length > MAX_KEYWORDS) {
    return {
      zh: `最多 ${MAX_KEYWORDS} 个关键词`,
      en: `there are at most ${MAX_KEYWORDS} keywords`,
    };
  }
  if (readKeywords(keywords).length > 0) return null;
  return {
    zh: '没有可搜索的关键词：不能为空，也不能只有标点或看不见的字符',
    en: 'there is nothing to search for: it is empty, or only punctuation or invisible characters',
  };
}

/**
 * The keywords of a search: separated by white space of any kind, folded, each once, without
 * those that are only punctuation. May be empty.
 */
function readKeywords(keywords: string): readonly Keyword[] {
  const texts = splitWords(keywords)
    .map((word) => fold(word))
    .map((word) => word.replace(EDGES, '') || word)
    .filter((word) => !SILENT.test(word));
  return [...new Set(texts)].map((text) => ({ text, isWeak: isWeak(text) }));
}

/** Keywords without the words of a question in them: `保修多久` is about `保修`. */
export function readParts(keywords: readonly Keyword[]): readonly Keyword[] {
  const parts = keywords
    .filter((keyword) => !keyword.isWeak)
    .flatMap(({ text }) => text.replace(QUESTION, ' ').split(' '))
    .filter((text) => !SILENT.test(text));
  return [...new Set(parts)].map((text) => ({ text, isWeak: false }));
}

function isWeak(text: string): boolean {
  return WEAK.has(text) || SILENT.test(text.replace(QUESTION, ''));
}

/** As {@link readKeywords}; throws `invalid_keywords` when {@link findKeywordProblem} finds one. */
export function requireKeywords(keywords: string): readonly Keyword[] {
  const problem = findKeywordProblem(keywords);
  if (problem !== null) throw new AgentHubError('invalid_keywords', problem.en);
  return readKeywords(keywords);
}

function splitWords(keywords: string): string[] {
  return keywords.split(/\s+/u).filter((word) => word !== '');
}
