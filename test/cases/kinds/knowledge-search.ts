import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { search } from '../../../src/tools/knowledge-search/search.ts';
import { splitSections } from '../../../src/tools/knowledge-search/sections.ts';
import { knowledgeIn, runTool } from '../../tools/tool-context.ts';
import type { CaseKind } from '../case-kind.ts';
import { evaluateGenerator, type Judged, judgeBySides } from '../judged.ts';
import { type Row, readRows } from '../rows.ts';

interface Document {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

interface SearchRow extends Row {
  readonly docs: readonly Document[];
  readonly keywords?: string;
  readonly keywords_generator?: string;
  readonly expected_hits: readonly string[] | null;
  readonly expected?: string;
  readonly order_matters: boolean;
  readonly first_must_be?: string;
  readonly optional?: boolean;
  readonly setup?: string;
}

const REFUSED = 'refused';

export const knowledgeSearch: CaseKind = {
  async run(file) {
    return judgeBySides(await readRows<SearchRow>(file), async (row) => {
      const judged = judgeHits(row);
      const inFolder = isForFolder(row) ? await judgeFolder(row) : null;
      if (row.optional === true && !isSame(judged)) return null;
      return {
        expected: { hits: judged.expected, folder: inFolder?.expected },
        got: { hits: judged.got, folder: inFolder?.got },
      };
    });
  },
};

function isSame({ expected, got }: Judged): boolean {
  return JSON.stringify(expected) === JSON.stringify(got);
}

function keywordsOf(row: SearchRow): string {
  return row.keywords ?? String(evaluateGenerator(row.keywords_generator ?? '""'));
}

function judgeHits(row: SearchRow): Judged {
  const sections = row.docs.map(({ id, title, text }) => {
    const { preamble, sections: parts } = splitSections(text);
    const plain = [preamble, ...parts].map((part) => part?.plain ?? '').join('\n');
    return { id, title, plain };
  });
  const refusable = row.expected_hits === null || row.expected?.includes('refuse') === true;
  let hits: readonly string[] | typeof REFUSED;
  try {
    hits = search(sections, keywordsOf(row)).map(({ id }) => id);
  } catch (error) {
    if (!(error instanceof AgentHubError) || error.code !== 'invalid_keywords') throw error;
    hits = REFUSED;
  }
  if (refusable && hits === REFUSED) return { expected: REFUSED, got: REFUSED };
  if (row.expected_hits === null) return { expected: REFUSED, got: hits };
  if (hits === REFUSED) return { expected: row.expected_hits, got: hits };
  return compareHits(row, row.expected_hits, hits);
}

function compareHits(row: SearchRow, wanted: readonly string[], hits: readonly string[]): Judged {
  if (row.first_must_be !== undefined && hits[0] !== row.first_must_be) {
    return { expected: `${row.first_must_be} first`, got: hits };
  }
  // A list with a first hit named need not be whole.
  if (row.first_must_be !== undefined && row.order_matters) {
    return { expected: true, got: wanted.every((id) => hits.includes(id)) };
  }
  if (row.order_matters) return { expected: wanted, got: hits };
  return { expected: [...wanted].sort(), got: [...hits].sort() };
}

function isForFolder(row: SearchRow): boolean {
  return row.setup !== undefined || row.docs.some(({ title }) => title.includes('\n'));
}

/** The same documents as files, searched by the tool; judged by its source lines. */
async function judgeFolder(row: SearchRow): Promise<Judged> {
  const root = await mkdtemp(join(tmpdir(), 'agenthub-knowledge-'));
  try {
    const names = await writeDocuments(root, row);
    const tool = knowledgeIn(root);
    const { content } = await runTool(tool, { keywords: keywordsOf(row) });
    const sources = content.split('\n').filter((line) => line.startsWith('来源：'));
    const expected = (row.expected_hits ?? []).map((id) => `来源：${names.get(id)}`);
    return { expected: expected.sort(), got: sources.sort() };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function writeDocuments(root: string, row: SearchRow): Promise<ReadonlyMap<string, string>> {
  const named = /file is (\S+)/u.exec(row.setup ?? '')?.[1];
  const names = new Map(row.docs.map(({ id }) => [id, named ?? `${id}.md`]));
  for (const { id, title, text } of row.docs) {
    const heading = title.includes('\n') ? `${title}\n---` : `## ${title}`;
    await writeFile(join(root, names.get(id) ?? ''), `${heading}\n\n${text}\n`);
  }
  if (row.setup?.includes('private/secret.md') === true) {
    await mkdir(join(root, 'private'));
    await writeFile(join(root, 'private/secret.md'), `## 内部\n\n${keywordsOf(row)}\n`);
    await symlink('private/secret.md', join(root, 'link.md'));
  }
  return names;
}
