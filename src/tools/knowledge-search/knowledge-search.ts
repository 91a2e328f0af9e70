import { z } from 'zod';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { DEFAULT_TOOL_TIMEOUT, defineTool } from '../define-tool.ts';
import type { Tool } from '../tool.types.ts';
import { findKeywordProblem } from './keywords.ts';
import type { KnowledgeFiles } from './knowledge-files.types.ts';
import { createLibraryReader, type LibraryReader } from './library.ts';
import { searchInSteps } from './search.ts';
import { inSlices } from './slices.ts';
import { describeHits } from './texts.ts';

export interface KnowledgeSearchInput {
  readonly keywords: string;
}

export interface KnowledgeSearchOptions {
  /** Opens the folder with the Markdown files; called once, when the tool is first used. */
  readonly openFiles: () => KnowledgeFiles;
  /** Milliseconds for one search; {@link DEFAULT_TOOL_TIMEOUT} by default. */
  readonly timeout?: number;
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

/**
 * Searches Markdown files section by section; see the design for what is a hit. A search that is
 * aborted or timed out keeps what it has read, and the next goes on from there.
 */
export function createKnowledgeSearch(options: KnowledgeSearchOptions): Tool<KnowledgeSearchInput> {
  let opened: { readonly files: KnowledgeFiles; readonly reader: LibraryReader } | null = null;
  const open = () => {
    if (opened !== null) return opened;
    const files = options.openFiles();
    opened = { files, reader: createLibraryReader(files) };
    return opened;
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
    timeout: options.timeout ?? DEFAULT_TOOL_TIMEOUT,
    async inspectFacts() {
      return { touchesPrivate: open().files.isPrivate() };
    },
    async execute({ keywords }, { signal, locale }) {
      const { files, reader } = open();
      if (files.isPrivate()) {
        throw new AgentHubError('private_root', 'The knowledge folder is private and is not read.');
      }
      const library = await reader.read(signal);
      const hits = await inSlices(searchInSteps(library.index, keywords), signal);
      return describeHits(hits, { keywords, skipped: library.skipped, locale });
    },
  });
}
