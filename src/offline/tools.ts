import type { Json, JsonObject } from '../../machines/vocabulary/json.ts';
import type { Wish } from './wishes.ts';

/** All that the rules know of the tools that ship: names, inputs, and what their results look like. */

export const TODO_TOOL = 'todo_write';
const SEARCH_TOOL = 'knowledge_search';
const IMAGE_TOOL = 'image_scaling';
const ECHO_TOOL = 'echo';

/** The call that a wish takes; null where no tool helps. */
export function callFor(wish: Wish): { tool: string; input: JsonObject } | null {
  if (wish.kind === 'echo') return { tool: ECHO_TOOL, input: { text: wish.text } };
  if (wish.kind === 'search') return { tool: SEARCH_TOOL, input: { keywords: wish.keywords } };
  if (wish.kind !== 'image' || !wish.wish.ok) return null;
  return { tool: IMAGE_TOOL, input: { ...wish.wish.input } };
}

/** An item of the to-do list: one that went well names its call as evidence. */
export function todoItem(content: string, state: { evidence: string } | { isNext: boolean }): Json {
  if ('evidence' in state) return { content, status: 'completed', evidence: [state.evidence] };
  return { content, status: state.isNext ? 'in_progress' : 'pending' };
}

/** A section of a document, as knowledge_search shows it. */
export interface FoundSection {
  readonly file: string;
  readonly title: string;
  readonly body: string;
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

/** What the picture tool says of its work: the first line of its result. */
export function readScaled(result: string): string {
  return result.split('\n', 1)[0]?.trim() ?? '';
}
