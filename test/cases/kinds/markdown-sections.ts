import { Buffer } from 'node:buffer';
import { decodeMarkdown } from '../../../src/tools/knowledge-search/decode.ts';
import { splitSections } from '../../../src/tools/knowledge-search/sections.ts';
import type { CaseKind } from '../case-kind.ts';
import { evaluateGenerator, judgeBySides } from '../judged.ts';
import { type Row, readRows } from '../rows.ts';

interface Expected {
  readonly root_h2_titles?: readonly string[];
  /** For a text with front matter, which plain CommonMark does not know: the titles without it. */
  readonly root_h2_titles_with_frontmatter_extension?: readonly string[];
  /** The title of what stands before the first section. */
  readonly preamble_title?: string;
  readonly sections?: readonly {
    readonly title: string;
    readonly start_line: number;
    readonly end_line: number;
    readonly body: string;
  }[];
  readonly has_preamble?: boolean;
  readonly utf8_fatal_decodes?: boolean;
  readonly utf8_replacement_titles?: readonly string[];
}

interface MarkdownRow extends Row {
  readonly input?: string;
  readonly input_base64?: string;
  readonly input_generator_js?: string;
  readonly encoding?: string;
  readonly expected: Expected;
}

export const markdownSections: CaseKind = {
  async run(file) {
    return judgeBySides(await readRows<MarkdownRow>(file), (row) =>
      row.encoding === 'bytes' ? judgeBytes(row) : judgeText(row),
    );
  },
};

/** Bytes of a file: read as UTF-8, or skipped. */
function judgeBytes({ input_base64 = '', expected }: MarkdownRow) {
  const text = decodeMarkdown(Buffer.from(input_base64, 'base64'));
  const decodes = expected.utf8_fatal_decodes === true;
  const titles = text === null ? null : titlesOf(text);
  return {
    expected: { decodes, titles: decodes ? (expected.utf8_replacement_titles ?? titles) : null },
    got: { decodes: text !== null, titles },
  };
}

function judgeText(row: MarkdownRow) {
  const expected = readExpected(row);
  const text = readText(row);
  const { preamble, sections } = splitSections(text);
  const got = {
    root_h2_titles: titlesOf(text),
    sections: sections.map(({ title, startLine, endLine, body }) => ({
      title,
      start_line: startLine,
      end_line: endLine,
      body,
    })),
    has_preamble: preamble !== null,
    preamble_title: preamble?.title,
  };
  const wanted = {
    root_h2_titles: expected.root_h2_titles?.map(joinLines),
    sections: expected.sections?.map((section) => ({
      ...section,
      title: joinLines(section.title),
      body: section.body.replace(/\r\n?/gu, '\n'),
    })),
    has_preamble: expected.has_preamble,
    preamble_title: expected.preamble_title,
  };
  // A row may name only the titles.
  return {
    expected: wanted,
    got: {
      root_h2_titles: wanted.root_h2_titles === undefined ? undefined : got.root_h2_titles,
      sections: wanted.sections === undefined ? undefined : got.sections,
      has_preamble: wanted.has_preamble === undefined ? undefined : got.has_preamble,
      preamble_title: wanted.preamble_title === undefined ? undefined : got.preamble_title,
    },
  };
}

/** Front matter is read; what a row says of the text as plain CommonMark does not hold then. */
function readExpected({ expected }: MarkdownRow): Expected {
  const titles = expected.root_h2_titles_with_frontmatter_extension;
  return titles === undefined ? expected : { root_h2_titles: titles };
}

function readText({ input, input_base64, input_generator_js }: MarkdownRow): string {
  if (input_generator_js !== undefined) return String(evaluateGenerator(input_generator_js));
  if (input_base64 !== undefined) return Buffer.from(input_base64, 'base64').toString('utf8');
  return input ?? '';
}

function titlesOf(text: string): string[] {
  return splitSections(text).sections.map(({ title }) => title);
}

/** A heading over several lines is one line as a title. */
function joinLines(title: string): string {
  return title.replace(/\s*\n\s*/gu, ' ');
}
