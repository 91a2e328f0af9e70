import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Facts } from '../../machines/permission/evaluate.ts';
import type { Json } from '../../machines/vocabulary/json.ts';
import type { Message, Outcome } from '../../machines/vocabulary/messages.ts';
import { createFolderFiles, type FolderFilesOptions } from '../../src/facts/folder-files.ts';
import { createKnowledgeSearch } from '../../src/tools/knowledge-search/knowledge-search.ts';
import type { Tool, ToolContext, ToolResult } from '../../src/tools/tool.types.ts';

/** Facts that nothing is asked about. */
export function harmlessFacts(toolName: string): Facts {
  return {
    toolName,
    touchesPrivate: false,
    outsideAllowedArea: false,
    serviceAllowed: true,
    outputExists: false,
    identity: null,
  };
}

/** What a tool is given when it runs. */
export function createToolContext(
  changes: Partial<ToolContext & { readonly facts: Facts }> = {},
): ToolContext & { readonly facts: Facts } {
  return {
    signal: new AbortController().signal,
    callId: '2.0',
    attempt: 1,
    idempotencyKey: 'run-1/2.0/1',
    messages: [],
    locale: 'zh',
    facts: harmlessFacts('any'),
    ...changes,
  };
}

/** Runs a tool as the engine does: facts first, then the work on those facts. */
export async function runTool<Input>(
  tool: Tool<Input>,
  input: Input,
  changes: Partial<ToolContext> = {},
): Promise<ToolResult> {
  const context = createToolContext(changes);
  const found = await tool.inspectFacts(input, context);
  const facts = { ...harmlessFacts(tool.name), ...found } as Facts;
  const result = await tool.execute(input, { ...context, facts });
  return typeof result === 'string' ? { content: result } : result;
}

/** A call and what came of it, as they stand in a history. */
export function callMessages(
  id: string,
  call: { readonly tool: string; readonly input: Json; readonly outcome: Outcome },
): readonly Message[] {
  const { tool, input, outcome } = call;
  return [
    {
      role: 'assistant',
      turn: Number.parseInt(id, 10),
      content: '',
      calls: [{ id, providerId: null, tool, input }],
    },
    {
      role: 'observation',
      callId: id,
      providerId: null,
      tool,
      outcome,
      content: '',
      reasons: [],
      context: [],
    },
  ];
}

/** Runs work in a new folder, given by its real path, and removes the folder. */
export async function inTemporaryFolder<Result>(
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthub-test-')));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The files of a folder without private areas, but for folders of that name. */
export function filesIn(root: string, changes: Partial<FolderFilesOptions> = {}) {
  return createFolderFiles({ root, isPrivate: () => false, ...changes });
}

/** knowledge_search over a folder. */
export function knowledgeIn(root: string, changes: Partial<FolderFilesOptions> = {}) {
  return createKnowledgeSearch({ openFiles: () => filesIn(root, changes) });
}
