import MiniSearch, { type SearchResult } from 'minisearch';
import { characters, fold, tokenize } from './fold-text.ts';
import { type Keyword, readParts, requireKeywords } from './keywords.ts';

/** What is searched of a section; both as plain text. */
export interface Searchable {
  readonly title: string;
  readonly plain: string;
}

/** Sections made ready for searching. */
export interface SearchIndex<Entry extends Searchable> {
  readonly entries: readonly IndexedEntry<Entry>[];
  readonly ranked: MiniSearch<RankedDocument>;
}

interface IndexedEntry<Entry> {
  readonly entry: Entry;
  /** Folded. */
  readonly title: string;
  readonly body: string;
}

interface RankedDocument {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  readonly titleCharacters: string;
  readonly bodyCharacters: string;
}

/** How much each field counts: headings more than text, pairs and words more than characters. */
const BOOST = { title: 3, body: 1, titleCharacters: 0.6, bodyCharacters: 0.2 };

/** How many sections a search without any exact hit may answer with. */
const MAX_NEAR = 5;

/** The longest subject, in characters, whose single characters may find a heading. */
const MAX_LOOSE = 3;

/** Makes sections ready for searching. Pure. */
export function buildIndex<Entry extends Searchable>(
  sections: readonly Entry[],
): SearchIndex<Entry> {
  const entries = sections.map((entry) => ({
    entry,
    title: fold(entry.title),
    body: fold(entry.plain),
  }));
  const ranked = new MiniSearch<RankedDocument>({
    fields: Object.keys(BOOST),
    tokenize: (text, field) => (field?.endsWith('Characters') ? characters(text) : tokenize(text)),
    processTerm: (term) => term,
    searchOptions: {
      boost: BOOST,
      combineWith: 'OR',
      tokenize: (text) => [...new Set([...tokenize(text), ...characters(text)])],
    },
  });
  ranked.addAll(
    entries.map(({ title, body }, id) => ({
      id,
      title,
      body,
      titleCharacters: title,
      bodyCharacters: body,
    })),
  );
  return { entries, ranked };
}

/** What a search found, best first. */
export interface SearchHits<Entry> {
  /** `near`: no section holds a keyword; these share parts of one, and may be about something else. */
  readonly kind: 'exact' | 'near';
  readonly entries: readonly Entry[];
}

/**
 * Searches plain sections, best first; see {@link searchIndex}. Pure. Throws `invalid_keywords`
 * for keywords with nothing to search for, or too many.
 */
export function search<Entry extends Searchable>(
  sections: readonly Entry[],
  keywords: string,
): readonly Entry[] {
  return searchIndex(buildIndex(sections), keywords).entries;
}

/**
 * Sections that hold any keyword as a substring (words that say nothing about a subject count only
 * when there are no others), ordered by how many different keywords they
 * hold, then by how many of those in the heading, then by BM25. When no section holds any, those
 * that hold what is left of a keyword without the words of a question; then the few that share a
 * word or pair of characters; for a short subject, at last, those whose heading shares a character.
 */
export function searchIndex<Entry extends Searchable>(
  index: SearchIndex<Entry>,
  keywords: string,
): SearchHits<Entry> {
  const given = requireKeywords(keywords);
  const telling = given.filter(({ isWeak }) => !isWeak);
  const wanted = telling.length > 0 ? telling : given;
  const parts = readParts(wanted);
  const subject = (parts.length > 0 ? parts : wanted).map(({ text }) => text).join(' ');
  const ranked = index.ranked.search(subject);
  const scores = new Map(ranked.map(({ id, score }) => [id as number, score]));
  for (const sought of [wanted, parts]) {
    const entries = findExact(index, sought, scores);
    if (entries.length > 0) return { kind: 'exact', entries };
  }
  return { kind: 'near', entries: findNear(index, ranked, subject) };
}

function findExact<Entry extends Searchable>(
  index: SearchIndex<Entry>,
  wanted: readonly Keyword[],
  scores: ReadonlyMap<number, number>,
): readonly Entry[] {
  return index.entries
    .map(({ entry, title, body }, id) => ({ entry, id, match: matchKeywords(title, body, wanted) }))
    .filter(({ match }) => match.any)
    .sort(
      (a, b) =>
        b.match.keywords - a.match.keywords ||
        b.match.inTitle - a.match.inTitle ||
        (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0) ||
        a.id - b.id,
    )
    .map(({ entry }) => entry);
}

function findNear<Entry extends Searchable>(
  index: SearchIndex<Entry>,
  ranked: readonly SearchResult[],
  subject: string,
): readonly Entry[] {
  const sharesToken = ranked.filter(({ match }) => isHeldIn(match, ['title', 'body']));
  const isShort = [...subject.replaceAll(' ', '')].length <= MAX_LOOSE;
  const loose = isShort ? ranked.filter(({ match }) => isHeldIn(match, ['titleCharacters'])) : [];
  return (sharesToken.length > 0 ? sharesToken : loose)
    .slice(0, MAX_NEAR)
    .flatMap(({ id }) => index.entries[id as number]?.entry ?? []);
}

function isHeldIn(match: SearchResult['match'], fields: readonly string[]): boolean {
  return Object.values(match).some((held) => held.some((field) => fields.includes(field)));
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
