import MiniSearch from 'minisearch';
import { characters, fold, foldInSteps, tokenize } from './fold-text.ts';
import type { Steps } from './slices.ts';

/** A section as it is searched. */
export interface IndexedEntry<Entry> {
  readonly entry: Entry;
  /** Folded. */
  readonly title: string;
  readonly body: string;
  /** The documents that stand for it in a ranking. */
  readonly ids: readonly number[];
}

interface RankedDocument {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  readonly titleCharacters: string;
  readonly bodyCharacters: string;
}

type Field = Exclude<keyof RankedDocument, 'id'>;

/** Sections by their words, for BM25; entries come and go as files change. */
export interface Ranking {
  readonly documents: MiniSearch<RankedDocument>;
  nextId: number;
}

/** How much each field counts: headings more than text, pairs and words more than characters. */
const BOOST: Readonly<Record<Field, number>> = {
  title: 3,
  body: 1,
  titleCharacters: 0.6,
  bodyCharacters: 0.2,
};

/** Characters of a body that are ranked as one document; a longer body is several. */
const DOCUMENT_LENGTH = 16_384;

/** A ranking of nothing yet. */
export function createRanking(): Ranking {
  const documents = new MiniSearch<RankedDocument>({
    fields: Object.keys(BOOST),
    tokenize: (text, field) => (field?.endsWith('Characters') ? characters(text) : tokenize(text)),
    processTerm: (term) => term,
    searchOptions: { boost: BOOST, tokenize: (text) => [text] },
  });
  return { documents, nextId: 0 };
}

/** Makes sections ready for searching and adds them to a ranking. */
export function* indexEntries<Entry extends { readonly title: string; readonly plain: string }>(
  ranking: Ranking,
  sections: readonly Entry[],
): Steps<readonly IndexedEntry<Entry>[]> {
  const entries: IndexedEntry<Entry>[] = [];
  for (const entry of sections) {
    const title = fold(entry.title);
    const body = yield* foldInSteps(entry.plain);
    const ids: number[] = [];
    for (const [at, piece] of cutText(body).entries()) {
      const heading = at === 0 ? title : '';
      ids.push(addDocument(ranking, heading, piece));
      yield;
    }
    entries.push({ entry, title, body, ids });
  }
  return entries;
}

function addDocument(ranking: Ranking, title: string, body: string): number {
  const id = ranking.nextId;
  ranking.nextId += 1;
  ranking.documents.add({ id, title, body, titleCharacters: title, bodyCharacters: body });
  return id;
}

/** Takes entries out of a ranking again. */
export function removeEntries(ranking: Ranking, entries: readonly IndexedEntry<unknown>[]): void {
  for (const { ids } of entries) for (const id of ids) ranking.documents.discard(id);
}

/** Pieces of bounded length, cut between words where there are any. */
function cutText(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > DOCUMENT_LENGTH) {
    const space = text.lastIndexOf(' ', from + DOCUMENT_LENGTH);
    const end = space > from ? space : from + DOCUMENT_LENGTH;
    pieces.push(text.slice(from, end));
    from = end;
  }
  return [...pieces, text.slice(from)];
}

/** How near an entry is to a subject. */
export interface Rank {
  readonly score: number;
  /** Where words or characters of the subject were found. */
  readonly fields: ReadonlySet<string>;
}

/**
 * The entries that share a word, pair of characters or character with a subject: the sum of what
 * each scores by BM25, times how many of them an entry holds. In the order of the entries.
 */
export function* rank<Entry>(
  { documents }: Ranking,
  entries: readonly IndexedEntry<Entry>[],
  subject: string,
): Steps<ReadonlyMap<IndexedEntry<Entry>, Rank>> {
  const found = new Map<number, { score: number; terms: Set<string>; fields: Set<string> }>();
  for (const term of new Set([...tokenize(subject), ...characters(subject)])) {
    for (const { id, score, match } of documents.search(term)) {
      const before = found.get(id) ?? { score: 0, terms: new Set(), fields: new Set() };
      before.score += score;
      before.terms.add(term);
      for (const field of match[term] ?? []) before.fields.add(field);
      found.set(id, before);
    }
    yield;
  }
  const ranks = new Map<IndexedEntry<Entry>, Rank>();
  for (const indexed of entries) {
    const parts = indexed.ids.flatMap((id) => found.get(id) ?? []);
    if (parts.length === 0) continue;
    const terms = new Set(parts.flatMap((part) => [...part.terms]));
    const score = parts.reduce((sum, part) => sum + part.score, 0) * terms.size;
    ranks.set(indexed, { score, fields: new Set(parts.flatMap((part) => [...part.fields])) });
  }
  return ranks;
}
