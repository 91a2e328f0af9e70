import { z } from 'zod';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { defineTool } from '../define-tool.ts';
import type { Tool } from '../tool.types.ts';
import { findKeywordProblem } from './keywords.ts';
import { createLibraryReader, type LibraryReader } from './library.ts';
import { searchIndex } from './search.ts';
import { describeHits } from './texts.ts';

export interface KnowledgeSearchInput {
  readonly keywords: string;
}

/** What the tool needs of the guard of files: which paths are private, by their text alone. */
export interface PrivateAreas {
  isPrivate(path: string): boolean;
}

export interface KnowledgeSearchOptions {
  /** The folder with the Markdown files. It must exist when the tool is first used. */
  readonly root: string;
  /** Private areas beside folders named `private`, which are never read. */
  readonly privateAreas?: PrivateAreas;
}

const input = z.strictObject({
  keywords: z
    .string()
    .superRefine((keywords, context) => {
      const problem = findKeywordProblem(keywords);
      if (problem !== null) context.addIssue({ code: 'custom', params: { ...problem } });
    })
    .meta({
      minLength: 1,
      maxLength: 512,
      description: 'Keywords separated by spaces, not a sentence; at most 32',
      zh: '用空格隔开的关键词，不要写整句；最多 32 个',
    }),
});

/** Searches Markdown files section by section; see the design for what is a hit. */
export function createKnowledgeSearch(options: KnowledgeSearchOptions): Tool<KnowledgeSearchInput> {
  const isPrivate = (path: string) => options.privateAreas?.isPrivate(path) ?? false;
  let reader: LibraryReader | null = null;
  const useReader = () => {
    reader ??= createLibraryReader(options.root, isPrivate);
    return reader;
  };

  return defineTool<KnowledgeSearchInput>({
    name: 'knowledge_search',
    description: {
      zh: '在店铺的政策文档里按关键词搜索，返回相关小节的原文和来源文件。关键词用空格隔开，例如「退货 运费」。回答政策问题前先搜索，回答时注明来源；没有找到就说没有找到。',
      en: 'Searches the shop’s policy documents by keywords and returns the matching sections with their source files. Separate keywords by spaces, such as "return shipping". Search before answering a policy question, name the source in the answer, and say so when nothing was found.',
    },
    input,
    textField: 'keywords',
    safeToRepeat: true,
    async inspectFacts() {
      return { touchesPrivate: isPrivate(useReader().root) };
    },
    async execute({ keywords }, { signal, locale }) {
      const { root } = useReader();
      if (isPrivate(root)) {
        throw new AgentHubError('private_root', 'The knowledge folder is private and is not read.');
      }
      const library = await useReader().read(signal);
      const hits = searchIndex(library.index, keywords);
      signal.throwIfAborted();
      return describeHits(hits, { keywords, skipped: library.skipped, locale });
    },
  });
}
