import type { JsonObject, Locale } from '../../../machines/vocabulary/json.ts';
import type { LibrarySection, SkippedFile, SkipReason } from './library.ts';
import type { SearchHits } from './search.ts';
import { oneLine } from './sections.ts';

/** How many sections one answer shows. */
const MAX_SHOWN = 12;

/** How many skipped files one answer names. */
const MAX_SKIPPED = 10;

/**
 * What the model is shown: for each section `来源：<file>` (`Source: <file>` in English),
 * `## <heading>` and the body. A line of
 * a body that looks like a source line is set off by a space, so that no document can forge one.
 */
export function describeHits(
  hits: SearchHits<LibrarySection>,
  context: {
    readonly keywords: string;
    readonly skipped: readonly SkippedFile[];
    readonly locale: Locale;
  },
): { readonly content: string; readonly details: JsonObject } {
  const { keywords, skipped, locale } = context;
  const texts = TEXTS[locale];
  const shown = hits.entries.slice(0, MAX_SHOWN);
  const parts: string[] = [];
  if (shown.length === 0) parts.push(texts.nothing(oneLine(keywords)));
  if (shown.length > 0 && hits.kind === 'near') parts.push(texts.near(oneLine(keywords)));
  parts.push(...shown.map((section) => showSection(section, locale)));
  if (hits.entries.length > shown.length) {
    parts.push(texts.more(hits.entries.length - shown.length));
  }
  parts.push(
    ...skipped
      .slice(0, MAX_SKIPPED)
      .map(({ file, reason }) => texts.skipped(oneLine(file), texts[reason])),
  );
  return {
    content: parts.join('\n\n'),
    details: {
      kind: shown.length === 0 ? 'nothing' : hits.kind,
      hits: shown.map(({ file, title, startLine }) => ({ file, title, line: startLine })),
      skipped: skipped.map(({ file, reason }) => ({ file, reason })),
    },
  };
}

function showSection({ file, title, startLine, shown }: LibrarySection, locale: Locale): string {
  const untitled =
    startLine === 1 && title === '' ? TEXTS[locale].preamble : TEXTS[locale].untitled;
  const body = shown.replace(/^(?=(?:来源|source)[^\S\n]*[：:])/gimu, ' ');
  const heading = title === '' ? untitled : title;
  return `${TEXTS[locale].source}${oneLine(file)}\n## ${heading}\n${body}`.trimEnd();
}

const TEXTS: Readonly<
  Record<
    Locale,
    Readonly<Record<SkipReason | 'source' | 'untitled' | 'preamble', string>> & {
      readonly nothing: (keywords: string) => string;
      readonly near: (keywords: string) => string;
      readonly more: (count: number) => string;
      readonly skipped: (file: string, reason: string) => string;
    }
  >
> = {
  zh: {
    source: '来源：',
    untitled: '（无标题）',
    preamble: '（文件开头）',
    nothing: (keywords) => `没有找到与「${keywords}」有关的内容。`,
    near: (keywords) => `没有小节含有「${keywords}」，下面是相近的内容，可能并不相关：`,
    more: (count) => `（还有 ${count} 个小节没有列出，请用更具体的关键词）`,
    skipped: (file, reason) => `（跳过了 ${file}：${reason}）`,
    not_utf8: '不是 UTF-8 文本',
    too_large: '文件太大',
    hard_link: '文件有别的名字（硬链接）',
    unreadable: '无法打开',
    too_many: '文件太多',
  },
  en: {
    source: 'Source: ',
    untitled: '(no title)',
    preamble: '(beginning of the file)',
    nothing: (keywords) => `Nothing was found for "${keywords}".`,
    near: (keywords) =>
      `No section holds "${keywords}"; these are close and may be about something else:`,
    more: (count) => `(${count} more sections are not listed; use more specific keywords)`,
    skipped: (file, reason) => `(${file} was skipped: ${reason})`,
    not_utf8: 'it is not UTF-8 text',
    too_large: 'the file is too large',
    hard_link: 'the file has further names (hard links)',
    unreadable: 'it cannot be opened',
    too_many: 'there are too many files',
  },
};
