import { readFile } from 'node:fs/promises';
import { search } from '../../../src/tools/knowledge-search/search.ts';
import type { CaseFailure, CaseKind } from '../case-kind.ts';

interface CorpusSection {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

interface Corpus {
  readonly sections: readonly CorpusSection[];
  readonly distractors: readonly CorpusSection[];
  readonly queries: readonly {
    readonly id: string;
    readonly query: string;
    readonly relevant: readonly string[];
  }[];
}

/** A query passes when a relevant section is among the first three. */
export const knowledgeRanking: CaseKind = {
  async run(file) {
    const { sections, distractors, queries } = JSON.parse(await readFile(file, 'utf8')) as Corpus;
    const corpus = [...sections, ...distractors].map((section) => ({
      ...section,
      plain: section.text,
    }));
    const failed: CaseFailure[] = [];
    let recall = 0;
    let reciprocal = 0;
    for (const { id, query, relevant } of queries) {
      const ids = search(corpus, query).map((section) => section.id);
      const isRelevant = (hit: string) => relevant.includes(hit);
      const rank = ids.findIndex(isRelevant) + 1;
      recall += ids.slice(0, 3).filter(isRelevant).length / Math.min(relevant.length, 3);
      reciprocal += rank === 0 ? 0 : 1 / rank;
      if (rank === 0 || rank > 3) failed.push({ id, expected: relevant, got: ids.slice(0, 3) });
    }
    const mean = (sum: number) => (sum / queries.length).toFixed(3);
    return {
      passed: queries.length - failed.length,
      failed,
      skipped: 0,
      note: `recall@3 ${mean(recall)} mrr ${mean(reciprocal)}`,
    };
  },
};
