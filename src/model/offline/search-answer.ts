import type { Concept } from './keywords.ts';

/** A section of a document, as knowledge_search shows it. */
export interface FoundSection {
  readonly file: string;
  readonly title: string;
  readonly body: string;
}

/** What of a search result answers a question: the words of a document, never our own. */
export interface Quote {
  readonly file: string;
  readonly title: string;
  readonly sentences: readonly string[];
}

const SOURCE = /^(?:来源：|Source: )(.+)$/u;
const HEADING = /^#{1,6}\s+(.*)$/u;

/** The sections of a search result: each a source line, a heading, and the body. */
export function readSections(result: string): readonly FoundSection[] {
  const sections: { file: string; title: string; lines: string[] }[] = [];
  const lines = result.split('\n');
  for (const [index, line] of lines.entries()) {
    const file = SOURCE.exec(line)?.[1];
    if (file !== undefined && HEADING.test(lines[index + 1] ?? '')) {
      sections.push({ file: file.trim(), title: '', lines: [] });
      continue;
    }
    const section = sections.at(-1);
    if (!section) continue;
    const title =
      section.lines.length === 0 && section.title === '' ? HEADING.exec(line)?.[1] : undefined;
    if (title === undefined) section.lines.push(line);
    else section.title = title.trim();
  }
  return sections.map(({ file, title, lines: body }) => ({
    file,
    title,
    body: body.join('\n').trim(),
  }));
}

/** How many of a question's subjects a section must speak of, at the least. */
const LEAST_COVERAGE = 0.34;
const MOST_SENTENCES = 3;
/** A body up to this many characters is quoted whole. */
const SHORT_BODY = 120;

/**
 * Picks what answers the question: the section that speaks of the most of its subjects, a second
 * one when it adds a subject, and of each the sentences that do so. Empty when no section speaks
 * of enough of them: then nothing is known.
 */
export function pickQuotes(
  sections: readonly FoundSection[],
  { concepts, asksQuantity }: { concepts: readonly Concept[]; asksQuantity: boolean },
): readonly Quote[] {
  const weights = concepts.map((concept) => {
    const holding = sections.filter((section) => speaksOf(wholeText(section), concept)).length;
    return Math.log(1 + sections.length / Math.max(1, holding));
  });
  const scored = sections
    .map((section, rank) => ({ section, rank, ...scoreSection(section, concepts, weights) }))
    .filter(({ covered }) => covered.size / concepts.length >= LEAST_COVERAGE)
    .sort((a, b) => b.score - a.score || a.rank - b.rank);
  const [best, ...others] = scored;
  if (!best) return [];
  const second = others.find(
    ({ covered, score }) =>
      score >= best.score / 2 && [...covered].some((concept) => !best.covered.has(concept)),
  );
  return [best, ...(second ? [second] : [])].map(({ section }) => ({
    file: section.file,
    title: section.title,
    sentences: pickSentences(section.body, { concepts, weights, asksQuantity }),
  }));
}

function scoreSection(
  section: FoundSection,
  concepts: readonly Concept[],
  weights: readonly number[],
): { score: number; covered: ReadonlySet<number> } {
  const covered = new Set<number>();
  let score = 0;
  for (const [index, concept] of concepts.entries()) {
    const weight = weights[index] ?? 0;
    const inTitle = speaksOf(section.title, concept);
    if (!inTitle && !speaksOf(section.body, concept)) continue;
    covered.add(index);
    score += inTitle ? weight * 1.5 : weight;
  }
  return { score, covered };
}

function pickSentences(
  body: string,
  about: { concepts: readonly Concept[]; weights: readonly number[]; asksQuantity: boolean },
): readonly string[] {
  const sentences = splitSentences(body);
  if (body.length <= SHORT_BODY) return sentences;
  const scored = sentences.map((sentence, index) => {
    const score = about.concepts.reduce(
      (sum, concept, at) => sum + (speaksOf(sentence, concept) ? (about.weights[at] ?? 0) : 0),
      0,
    );
    const hasNumber = /\d|[一二三四五六七八九十百]+\s*(?:天|日|周|个月|年|元|小时)/u.test(sentence);
    return { sentence, index, score: score + (about.asksQuantity && hasNumber ? 0.6 : 0) };
  });
  const chosen = scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, MOST_SENTENCES)
    .sort((a, b) => a.index - b.index);
  const found = chosen.map(({ sentence }) => sentence);
  return found.length > 0 ? found : sentences.slice(0, 2);
}

/** Sentences and list items as plain text. */
function splitSentences(body: string): readonly string[] {
  return body
    .replace(/^[ \t]*(?:```|~~~)[^\n]*$/gmu, '')
    .split('\n')
    .map((line) =>
      line.replace(/^\s*(?:[-*+>]|\d{1,2}[.)]|#{1,6})\s+/u, '').replace(/\*\*|__/gu, ''),
    )
    .flatMap((line) => line.split(/(?<=[。！？；])|(?<=[.!?])\s+(?=\S)/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence) && !/^\|?[\s|:-]+$/u.test(sentence));
}

function speaksOf(text: string, concept: Concept): boolean {
  const folded = text.normalize('NFKC').toLowerCase();
  return concept.some((form) => folded.includes(form));
}

function wholeText({ title, body }: FoundSection): string {
  return `${title}\n${body}`;
}
