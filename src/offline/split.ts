/** A piece of a prompt between two places where a new wish may begin. */
export interface Part {
  readonly start: number;
  readonly end: number;
  /**
   * What separates it from the part before: a comma or an "and"; the end of a sentence; or what
   * separates items of a list (a number, a line, a semicolon, "then"). The first part has `list`.
   */
  readonly gap: 'comma' | 'sentence' | 'list';
}

const SENTENCE = String.raw`[。！!？?]+|\.(?=\s|$)`;
const LIST = [
  `[\n；;]+`,
  String.raw`[，,、]?\s*(?:然后|接着|随后|之后再|最后|再(?![见次说])|另外|此外|还有|并且|顺便|同时|其次)[，,]?`,
  String.raw`,?\s*\b(?:and then|then|after that|afterwards|and also|also|finally|lastly|next,|plus)\b,?`,
].join('|');
const SOFT = String.raw`[，,]\s*(?:and\b|并|且)?|\s+and\b`;
/** Numbers, bullets and steps at the start of a wish. They belong to no part. */
const MARKER = String.raw`(?:^|(?<=[\s，,。；;]))(?:\d{1,2}[.)、．）](?!\d)|[（(]\d{1,2}[)）]|[一二三四五六七八九十]、|第[一二三四五六七八九十\d]+步?[，：:、]|[-*•]\s)\s*`;
const FIRST = /^(?:先|首先[，,]?|first(?:ly)?\b,?)\s*/iu;
const BOUNDARY = new RegExp(`(?<list>${MARKER}|${LIST})|(?<sentence>${SENTENCE})|${SOFT}`, 'giu');
const QUOTES = /"[^"\n]*"|“[^”]*”|「[^」]*」|『[^』]*』|‘[^’]*’/gu;

/** Cuts a prompt wherever a new wish may begin; never inside quotation marks. Pure. */
export function splitParts(text: string): readonly Part[] {
  const quotes = [...text.matchAll(QUOTES)].map(({ index, 0: { length } }) => [
    index,
    index + length,
  ]);
  const parts: Part[] = [];
  let start = 0;
  let gap: Part['gap'] = 'list';
  const close = (end: number): void => {
    const lead = /^\s*/u.exec(text.slice(start, end))?.[0].length ?? 0;
    const first = FIRST.exec(text.slice(start + lead, end))?.[0].length ?? 0;
    const from = start + lead + (parts.length === 0 ? first : 0);
    if (text.slice(from, end).trim() !== '') parts.push({ start: from, end, gap });
  };
  for (const found of text.matchAll(BOUNDARY)) {
    const [whole] = found;
    const isQuoted = quotes.some(([from = 0, to = 0]) => found.index > from && found.index < to);
    if (isQuoted) continue;
    // A question mark is part of what it ends.
    const mark = /^[？?！!]/u.test(whole) ? whole.length : 0;
    close(found.index + mark);
    const next = gapOf(found.groups);
    const isEmptySince = text.slice(start, found.index).trim() === '';
    gap = isEmptySince && ORDER[gap] > ORDER[next] ? gap : next;
    start = found.index + whole.length;
  }
  close(text.length);
  return parts;
}

const ORDER = { comma: 0, sentence: 1, list: 2 } as const;

function gapOf(groups: Record<string, string | undefined> | undefined): Part['gap'] {
  if (groups?.list !== undefined) return 'list';
  return groups?.sentence !== undefined ? 'sentence' : 'comma';
}
