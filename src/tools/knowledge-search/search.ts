import { type Keyword, readParts, requireKeywords } from './keywords.ts';
import { createRanking, type IndexedEntry, indexEntries, type Ranking, rank } from './ranking.ts';
import { atOnce, type Steps } from './slices.ts';

/** What is searched of a section; both as plain text. */
export interface Searchable {
  readonly title: string;
  readonly plain: string;
}

/** Sections made ready for searching. */
export interface SearchIndex<Entry extends Searchable> {
  readonly entries: readonly IndexedEntry<Entry>[];
  /** May hold entries of other indexes, too. */
  readonly ranking: Ranking;
}

/** How many sections a search without any exact hit may answer with. */
const MAX_NEAR = 5;

/** The longest subject, in characters, whose single characters may find a heading. */
const MAX_LOOSE = 3;

/** How many sections are looked through before others may have their turn. */
const ENTRIES_PER_STEP = 50;

/** What a search found, best first. */
export interface SearchHits<Entry> {
  /** `near`: no section holds a keyword; these share parts of one, and may be about something else. */
  readonly kind: 'exact' | 'near';
  readonly entries: readonly Entry[];
}

/**
 * Searches plain sections, best first; see {@link searchInSteps}. Pure. Throws `invalid_keywords`
 * for keywords with nothing to search for, or too many.
 */
export function search<Entry extends Searchable>(
  sections: readonly Entry[],
  keywords: string,
): readonly Entry[] {
  const ranking = createRanking();
  const entries = atOnce(indexEntries(ranking, sections));
  return atOnce(searchInSteps({ entries, ranking }, keywords)).entries;
}

/**
 * Sections that hold any keyword as a substring (words that say nothing about a subject count only
 * when there are no others), ordered by how many different keywords they
 * hold, then by how many of those in the heading, then by BM25. When no section holds any, those
 * that hold what is left of a keyword without the words of a question; then the few that share a
 * word or pair of characters; for a short subject, at last, those whose heading shares a character.
 */
export function* searchInSteps<Entry extends Searchable>(
  index: SearchIndex<Entry>,
  keywords: string,
): Steps<SearchHits<Entry>> {
  const given = requireKeywords(keywords);
  const telling = given.filter(({ isWeak }) => !isWeak);
  const wanted = telling.length > 0 ? telling : given;
  const parts = readParts(wanted);
  const subject = (parts.length > 0 ? parts : wanted).map(({ text }) => text).join(' ');
  const ranks = yield* rank(index.ranking, index.entries, subject);
  for (const sought of [wanted, parts]) {
    const matches = yield* matchEntries(index.entries, sought);
    if (matches.length === 0) continue;
    const scoreOf = (entry: IndexedEntry<Entry>) => ranks.get(entry)?.score ?? 0;
    matches.sort(
      (a, b) =>
        b.keywords - a.keywords || b.inTitle - a.inTitle || scoreOf(b.indexed) - scoreOf(a.indexed),
    );
    return { kind: 'exact', entries: matches.map(({ indexed }) => indexed.entry) };
  }
  const near = [...ranks].sort(([, a], [, b]) => b.score - a.score);
  const sharesToken = near.filter(([, { fields }]) => fields.has('title') || fields.has('body'));
  const isShort = [...subject.replaceAll(' ', '')].length <= MAX_LOOSE;
  const loose = isShort ? near.filter(([, { fields }]) => fields.has('titleCharacters')) : [];
  const chosen = (sharesToken.length > 0 ? sharesToken : loose).slice(0, MAX_NEAR);
  return { kind: 'near', entries: chosen.map(([{ entry }]) => entry) };
}

type Match<Entry> = KeywordMatch & { readonly indexed: IndexedEntry<Entry> };

/** The entries that hold any of the keywords, in their order. */
function* matchEntries<Entry>(
  entries: readonly IndexedEntry<Entry>[],
  wanted: readonly Keyword[],
): Steps<Match<Entry>[]> {
  const matches: Match<Entry>[] = [];
  for (const [at, indexed] of entries.entries()) {
    if (at % ENTRIES_PER_STEP === 0) yield;
    const match = matchKeywords(indexed.title, indexed.body, wanted);
    if (match.any) matches.push({ ...match, indexed });
  }
  return matches;
}

interface KeywordMatch {
  readonly any: boolean;
  /** Keywords held; one that is only part of a longer word counts half. */
  readonly keywords: number;
  readonly inTitle: number;
}

function matchKeywords(title: string, body: string, wanted: readonly Keyword[]): KeywordMatch {
  let any = false;
  let keywords = 0;
  let inTitle = 0;
  for (const { text } of wanted) {
    const titleHeld = closeness(title, text);
    const held = Math.max(titleHeld, closeness(body, text));
    if (held === 0) continue;
    any = true;
    keywords += held;
    inTitle += titleHeld;
  }
  return { any, keywords, inTitle };
}

/** 1: held as written; 0.5: only inside longer words of a script that writes spaces; 0: not held. */
function closeness(text: string, keyword: string): number {
  let at = text.indexOf(keyword);
  if (at < 0) return 0;
  for (; at >= 0; at = text.indexOf(keyword, at + 1)) {
    const end = at + keyword.length;
    if (!isInsideWord(text, at) && !isInsideWord(text, end)) return 1;
  }
  return 0.5;
}

/** Whether the letters on both sides of a place belong to one word. */
function isInsideWord(text: string, at: number): boolean {
  return /[a-z0-9]/u.test(text.charAt(at - 1)) && /[a-z0-9]/u.test(text.charAt(at));
}
