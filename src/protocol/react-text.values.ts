import { openingFence, unwrapFence } from './fences.ts';
import { dropInvisible, isBlank, isLineBreak, lineEndOf, skipSpace, trimText } from './lines.ts';

/** A stretch of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A stretch of text that belongs to no value: reasoning, control tokens. */
export type Hole = Span;

const QUOTES = new Set('"\'`“”‘’「」『』');
const NAME_ENDINGS = new Set('.,。，、;；|');
const NO_TOOL =
  /^\(?(?:none|n\/?a|null|nil|nothing|not (?:needed|required|necessary|applicable)|no (?:action|tool)s?|无|無|没有|沒有)(?:\)?$|[\s.,:;(—–]|。|，|（|：)|^(?:不需要|不使用|无需|無需)/u;
const WORD = /[\p{L}\p{N}]/u;

/** The text of a span without the holes in it. Holes are in order and do not overlap. */
export function textWithout(text: string, { start, end }: Span, holes: readonly Hole[]): string {
  const parts: string[] = [];
  let from = start;
  for (let index = firstHoleFrom(holes, start); index < holes.length; index += 1) {
    const hole = holes[index] as Hole;
    if (hole.start >= end) break;
    if (hole.start > from) parts.push(text.slice(from, hole.start));
    from = Math.max(from, Math.min(hole.end, end));
  }
  parts.push(text.slice(from, end));
  return parts.join('');
}

/**
 * The name in an Action's value: its first line of words, without what decorates it. A name in
 * `known` stays as it is, underscores and all.
 */
export function readToolName(value: string, known: ReadonlySet<string>): string {
  let from = skipSpace(value, 0);
  while (from < value.length) {
    const lineEnd = lineEndOf(value, from);
    const isFence = openingFence(value, from, lineEnd) !== null && lineEnd < value.length;
    const name = isFence ? '' : undecorate(value.slice(from, lineEnd), known);
    if (name !== '') return name;
    from = skipSpace(value, lineEnd);
  }
  return '';
}

/** Whether a name says that no tool is meant. */
export function isNoTool(name: string): boolean {
  return !WORD.test(name) || NO_TOOL.test(name.slice(0, 40).toLowerCase());
}

/**
 * An Action Input as the model meant it: without what is left of a bold label, and without one
 * whole fence or one pair of double quotes on a single line around it.
 */
export function readInput(value: string, emphasis: string): string {
  const text = trimText(closeEmphasis(trimText(value), emphasis));
  const fenced = unwrapFence(text);
  if (fenced !== null) return fenced;
  const isQuoted =
    text.length >= 2 && text.startsWith('"') && text.indexOf('"', 1) === text.length - 1;
  return isQuoted && lineEndOf(text, 0) === text.length ? text.slice(1, -1) : text;
}

/** A Final Answer as written, without what is left of a bold label. */
export function readAnswer(value: string, emphasis: string): string {
  return trimText(closeEmphasis(trimText(value), emphasis));
}

/** Removes the emphasis that a label opened and the value closes, or that was left behind. */
function closeEmphasis(value: string, emphasis: string): string {
  if (emphasis === '') return dropStrayBold(value);
  const lineEnd = lineEndOf(value, 0);
  const firstLine = value.slice(0, lineEnd).trimEnd();
  const marks = firstLine.split(emphasis).length - 1;
  if (marks % 2 === 1) {
    if (firstLine.endsWith(emphasis)) {
      return firstLine.slice(0, -emphasis.length) + value.slice(lineEnd);
    }
    if (firstLine.startsWith(emphasis) && firstLine[emphasis.length] !== '/') {
      return value.slice(emphasis.length);
    }
  }
  const isClosedLater = marks === 0 && value.indexOf(emphasis) === value.length - emphasis.length;
  return isClosedLater ? value.slice(0, -emphasis.length) : value;
}

function dropStrayBold(value: string): string {
  if (!value.startsWith('**') || !isBlank(value[2])) return value;
  const rest = value.slice(2);
  const isPair = rest.endsWith('**') && rest.indexOf('**') === rest.length - 2;
  return isPair ? rest.slice(0, -2) : rest;
}

function undecorate(line: string, known: ReadonlySet<string>): string {
  let start = 0;
  let end = line.length;
  for (;;) {
    const before = end - start;
    while (start < end && isEdge(line[start])) start += 1;
    while (end > start && (isEdge(line[end - 1]) || NAME_ENDINGS.has(line[end - 1] ?? '')))
      end -= 1;
    const name = line.slice(start, end);
    if (known.has(name)) return name;
    if (name.length > 4 && name.startsWith('__') && name.endsWith('__')) {
      start += 2;
      end -= 2;
    }
    if (end - start === before) break;
  }
  return dropInvisible(line.slice(start, end));
}

function isEdge(char: string | undefined): boolean {
  if (char === undefined) return false;
  return char === '*' || QUOTES.has(char) || isBlank(char) || isLineBreak(char);
}

function firstHoleFrom(holes: readonly Hole[], start: number): number {
  let low = 0;
  let high = holes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((holes[middle] as Hole).end <= start) low = middle + 1;
    else high = middle;
  }
  return low;
}
