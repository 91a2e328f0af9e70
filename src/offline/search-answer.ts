import type { Concept } from './keywords.ts';
import type { FoundSection } from './tools.ts';

/** What of a search result answers a question: the words of a document, never our own. */
export interface Quote {
  readonly file: string;
  readonly title: string;
  readonly sentences: readonly string[];
}

/** A section that speaks of one subject only must speak of this share of what was asked. */
const LEAST_SHARE = 0.4;
const MOST_SENTENCES = 3;
/** A body up to this many characters is quoted whole. */
const SHORT_BODY = 120;

/**
 * Picks what answers the question: the section that speaks of the most of its subjects, a second
 * one when it adds a subject, and of each the sentences that do so. Empty when no section speaks
 * of two of them, or of one that is most of the question or its own topic: then nothing is known.
 */
export function pickQuotes(
  sections: readonly FoundSection[],
  { concepts, asksQuantity }: { concepts: readonly Concept[]; asksQuantity: boolean },
): readonly Quote[] {
  // The rarer a subject, the more it says; most of all one that no section speaks of.
  const weights = concepts.map((concept) => {
    const holding = sections.filter((section) => speaksOf(wholeText(section), concept)).length;
    return Math.log(1 + sections.length / Math.max(0.5, holding));
  });
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const scored = sections
    .map((section, rank) => ({ section, rank, ...scoreSection(section, concepts, weights) }))
    .filter(({ covered, share, inTitle }) => {
      const isTopic = inTitle && covered.size * 2 >= concepts.length;
      return covered.size > 1 || isTopic || share / whole >= LEAST_SHARE;
    })
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
): { score: number; share: number; inTitle: boolean; covered: ReadonlySet<number> } {
  const covered = new Set<number>();
  let score = 0;
  let share = 0;
  let inTitle = false;
  for (const [index, concept] of concepts.entries()) {
    const weight = weights[index] ?? 0;
    const isTitled = speaksOf(section.title, concept);
    if (!isTitled && !speaksOf(section.body, concept)) continue;
    inTitle ||= isTitled;
    covered.add(index);
    share += weight;
    score += isTitled ? weight * 1.5 : weight;
  }
  return { score, share, inTitle, covered };
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

/** Words of scripts that write spaces count from their beginning: "ship" is not in "membership". */
function speaksOf(text: string, concept: Concept): boolean {
  const folded = text.normalize('NFKC').toLowerCase();
  return concept.some((form) => {
    for (let at = folded.indexOf(form); at >= 0; at = folded.indexOf(form, at + 1)) {
      if (!/^[a-z]/u.test(form) || !/[a-z]/u.test(folded.charAt(at - 1))) return true;
    }
    return false;
  });
}

function wholeText({ title, body }: FoundSection): string {
  return `${title}\n${body}`;
}
