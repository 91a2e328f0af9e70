/** What stands before the text of a document: not part of it. */
export interface FrontMatter {
  /** How many lines it takes, its marks included; 0 when there is none. */
  readonly lines: number;
  /** What it names as the title; null when it does not. */
  readonly title: string | null;
}

const NONE: FrontMatter = { lines: 0, title: null };

/** The marks around a block, and what a line of it that gives a value looks like. */
const FORMS = [
  {
    open: /^---[ \t]*$/u,
    close: /^(?:---|\.\.\.)[ \t]*$/u,
    member: /^(?:"[^"]+"|'[^']+'|[\p{L}\p{N}_.-]+)[ \t]*:(?:[ \t]|$)/u,
    title: /^(?:"title"|'title'|title)[ \t]*:[ \t]+(.+)$/iu,
    comment: /^[ \t]*(?:#|$)/u,
  },
  {
    open: /^\+\+\+[ \t]*$/u,
    close: /^\+\+\+[ \t]*$/u,
    member: /^(?:\[|(?:"[^"]+"|'[^']+'|[\w.-]+)[ \t]*=)/u,
    title: /^(?:"title"|'title'|title)[ \t]*=[ \t]*(.+)$/iu,
    comment: /^[ \t]*(?:#|$)/u,
  },
] as const;

/**
 * Finds the YAML (`---`) or TOML (`+++`) block that a document begins with. A line of dashes that
 * no other closes, or with prose behind it, is a thematic break and no block: the first line that
 * says something has to give a value.
 */
export function readFrontMatter(lines: readonly string[]): FrontMatter {
  const form = FORMS.find(({ open }) => open.test(lines[0] ?? ''));
  if (form === undefined) return NONE;
  const end = lines.findIndex((line, index) => index > 0 && form.close.test(line));
  if (end < 0) return NONE;
  const block = lines.slice(1, end);
  const first = block.find((line) => !form.comment.test(line));
  if (first === undefined ? block.length > 0 : !form.member.test(first)) return NONE;
  const named = block.flatMap((line) => form.title.exec(line)?.[1] ?? [])[0];
  return { lines: end + 1, title: named === undefined ? null : readValue(named) };
}

/** A value on one line; null for one that goes on below, or that is not text. */
function readValue(value: string): string | null {
  const quoted = /^(["'])(.*?)\1[ \t]*(?:#.*)?$/u.exec(value)?.[2];
  if (quoted !== undefined) return quoted === '' ? null : quoted;
  const bare = value.replace(/[ \t]+#.*$/u, '').trim();
  return bare === '' || /^[|>[{&*!"']/u.test(bare) ? null : bare;
}
