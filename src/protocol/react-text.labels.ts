import { isBlank, isInvisible, skipBlanks } from './lines.ts';

/** What a label says. `bareInput` is "Input:", which counts only right after an action. */
export type LabelKind = 'thought' | 'action' | 'input' | 'bareInput' | 'observation' | 'final';

export interface Label {
  readonly kind: LabelKind;
  /** Where it starts, what decorates it included. */
  readonly start: number;
  /** Behind the colon, and behind the emphasis that closes there. */
  readonly valueStart: number;
  /** Emphasis that opened before the label and is still open behind its colon, or ''. */
  readonly emphasis: string;
}

/** The start of a label at the end of a text, without its colon. */
export interface PartialLabel {
  readonly kind: LabelKind;
  readonly isWhole: boolean;
  /** Whether at least the first word of the label is there. */
  readonly hasFirstWord: boolean;
  /** Whether enough of it is there to tell it from a short word. */
  readonly isLong: boolean;
  readonly letters: number;
}

const LABELS: ReadonlyMap<string, LabelKind> = new Map(
  (
    [
      ['thought', ['thought', '思考', '想法']],
      ['action', ['action', '行动', '行動', '动作', '動作']],
      [
        'input',
        ['action input', 'actioninput', '行动输入', '行動輸入', '动作输入', '動作輸入'].concat([
          '行动 输入',
          '行動 輸入',
          '动作 输入',
          '動作 輸入',
        ]),
      ],
      ['bareInput', ['input']],
      ['observation', ['observation', '观察', '觀察', '观察结果', '觀察結果']],
      [
        'final',
        ['final answer', 'finalanswer', '最终答案', '最終答案', '最终回答', '最終回答'].concat([
          '最终 答案',
          '最終 答案',
          '最终答复',
          '最終答覆',
        ]),
      ],
    ] as const
  ).flatMap(([kind, names]) => names.map((name) => [name, kind] as const)),
);
const BEGINNINGS: ReadonlySet<string> = new Set(
  [...LABELS.keys()].flatMap((label) => [...label].map((_, index) => label.slice(0, index + 1))),
);
/** What a label can start with, folded. */
const FIRST_LETTERS: ReadonlySet<string> = new Set(
  [...LABELS.keys()].map((label) => label[0] ?? ''),
);
const PICTOGRAPH = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f|\u20e3/u;
const BULLETS = new Set('-+•·‣▪●○■□–—');
const LETTER = /\p{L}/u;

/** Whether a label may start with this character. */
export function mayStartLabel(char: string): boolean {
  return FIRST_LETTERS.has(fold(char));
}

/** The label that starts at `from`, whatever decorates it, if one does. */
export function matchLabel(text: string, from: number): Label | null {
  const { position, emphasis } = skipDecoration(text, from);
  return matchPlainLabel(text, position, { start: from, emphasis });
}

/** The label whose first letter is at `position`, if there is one. */
export function matchPlainLabel(
  text: string,
  position: number,
  { start, emphasis }: { start: number; emphasis: string },
): Label | null {
  const words = readWords(text, position);
  const kind = LABELS.get(words.name);
  if (kind === undefined || !words.isWellFormed) return null;
  if (fold(text[words.end] ?? '') !== ':') return null;
  const behindColon = words.end + 1;
  const isOpen = emphasis !== '' && !words.closesEmphasis;
  if (!isOpen) return { kind, start, valueStart: behindColon, emphasis: '' };
  const isClosedHere = text.startsWith(emphasis, behindColon);
  const valueStart = isClosedHere ? behindColon + emphasis.length : behindColon;
  return { kind, start, valueStart, emphasis: isClosedHere ? '' : emphasis };
}

/** The beginning of a label that the text ends in, decoration allowed, if it ends in one. */
export function matchPartialLabel(text: string, from: number): PartialLabel | null {
  const { position } = skipDecoration(text, from);
  const { name, end, isWellFormed } = readWords(text, position);
  if (name === '' || !isWellFormed || end < text.length) return null;
  if (!isCapital(text[position] ?? '')) return null;
  for (const [label, kind] of LABELS) {
    if (kind === 'bareInput' || !label.startsWith(name)) continue;
    const firstWord = label.split(' ')[0] ?? label;
    return {
      kind,
      isWhole: label === name,
      hasFirstWord: name.length >= Math.min(firstWord.length, 'action'.length),
      isLong: name.length >= (name < '\u0080' ? 3 : 2),
      letters: name.length,
    };
  }
  return null;
}

/** The kind of label that a text is, colon or not: "Final Answer" used as a tool's name. */
export function labelNamed(text: string): LabelKind | null {
  const { name, end, isWellFormed } = readWords(text, 0);
  return isWellFormed && end >= text.length ? (LABELS.get(name) ?? null) : null;
}

interface Words {
  /** The words, folded, with one space between them and numbers left out. */
  readonly name: string;
  readonly end: number;
  readonly closesEmphasis: boolean;
  readonly isWellFormed: boolean;
}

/** Reads what may be a label's words, as far as the first character that cannot be part of one. */
function readWords(text: string, from: number): Words {
  let name = '';
  let isSeparated = false;
  let closesEmphasis = false;
  let isWellFormed = true;
  let position = from;
  for (;;) {
    const code = text.codePointAt(position);
    if (code === undefined) break;
    const char = String.fromCodePoint(code);
    const folded = fold(char);
    if (isInvisible(char) || char === '\u200c' || char === '\u200d') {
      if (name === '') break;
      position += 1;
      continue;
    }
    if (folded === '*' || folded === '_') {
      if (name === '') break;
      // Underscores also join words; only asterisks say for certain that the label is over.
      closesEmphasis ||= folded === '*' || !LETTER.test(text[position + 1] ?? '');
      isSeparated = true;
    } else if (isBlank(char) || char === '-') {
      if (name === '') break;
      isSeparated = true;
    } else if (LETTER.test(folded)) {
      if (closesEmphasis) isWellFormed = false;
      name += isSeparated && name !== '' ? ` ${folded}` : folded;
      isSeparated = false;
      if (!BEGINNINGS.has(name)) break;
    } else if (/^[#()0-9]$/.test(folded)) {
      if (name === '') break;
      isSeparated = true;
    } else break;
    position += char.length;
  }
  return { name, end: position, closesEmphasis, isWellFormed };
}

/** Steps over quote marks, bullets, headings, numbers, emoji and emphasis before a label. */
function skipDecoration(text: string, from: number): { position: number; emphasis: string } {
  let emphasis = '';
  let position = skipBlanks(text, from);
  for (;;) {
    const char = String.fromCodePoint(text.codePointAt(position) ?? 0x20);
    const end = position + char.length;
    if (char === '*' || char === '_') {
      let run = end;
      while (text[run] === char) run += 1;
      const isBullet = run === end && isBlank(text[run]);
      if (!isBullet) emphasis = text.slice(position, run);
      position = skipBlanks(text, run);
    } else if (char === '>' || char === '#' || BULLETS.has(char)) {
      position = skipBlanks(text, end);
    } else if (char >= '0' && char <= '9') {
      const numbered = skipNumber(text, position);
      if (numbered === null) return { position, emphasis };
      position = skipBlanks(text, numbered);
    } else if (char > '\u00ff' && PICTOGRAPH.test(char)) {
      position = skipBlanks(text, end);
    } else return { position, emphasis };
  }
}

function skipNumber(text: string, from: number): number | null {
  let end = from;
  while (/^[0-9]$/.test(text[end] ?? '')) end += 1;
  // A keycap emoji is a digit with two marks behind it.
  if (text[end] === '\ufe0f' || text[end] === '\u20e3') return end + 1;
  return '.)、．）'.includes(text[end] ?? ' ') ? end + 1 : null;
}

/** A character as labels are compared: in lower case, its compatibility forms taken together. */
function fold(char: string): string {
  if (char < '\u0080') return char.toLowerCase();
  // What a reply is full of, ahead of the costly way: ideographs, and full-width ASCII.
  const code = char.charCodeAt(0);
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0).toLowerCase();
  return char >= '\u4e00' && char <= '\u9fff' ? char : char.normalize('NFKC').toLowerCase();
}

function isCapital(char: string): boolean {
  return char !== char.toLowerCase() || char > '\u2e7f';
}
