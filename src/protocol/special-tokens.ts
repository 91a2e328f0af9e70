import { isBlank, skipBlanks, skipSpace } from './lines.ts';

/** A chat template's control token that leaked into a reply as text. */
export interface SpecialToken {
  readonly start: number;
  readonly end: number;
  /** Whether what follows is somebody else's turn, which the model invented. */
  readonly endsTurn: boolean;
}

const TOKEN = /<[|｜][\p{L}\p{N}_▁. -]{1,40}[|｜]>|<(?:eos|bos|end_of_turn|start_of_turn)>/uy;
const TURN =
  /^<[|｜](?:observation|user|tool|system|ipython|im_start|im_end|eot_id|eom_id|end|endoftext|end_of_text|end▁of▁sentence|User)[|｜]>$|^<(?:eos|end_of_turn)>$/u;
const LONGEST = 48;

/** The token that starts at `at`, if one does. */
export function tokenAt(text: string, at: number): SpecialToken | null {
  if (text[at] !== '<') return null;
  TOKEN.lastIndex = at;
  const found = TOKEN.exec(text);
  if (found === null) return null;
  return { start: at, end: at + found[0].length, endsTurn: TURN.test(found[0]) };
}

/** The run of tokens that a line ends in: where it starts, or `lineEnd` when there is none. */
export function trailingTokens(
  text: string,
  lineStart: number,
  lineEnd: number,
): { readonly start: number; readonly endsTurn: boolean } {
  let start = lineEnd;
  let endsTurn = false;
  for (;;) {
    let end = start;
    while (end > lineStart && isBlank(text[end - 1])) end -= 1;
    if (text[end - 1] !== '>') return { start, endsTurn };
    const floor = Math.max(lineStart, end - LONGEST);
    const open = text.slice(floor, end).lastIndexOf('<');
    const token = open === -1 ? null : tokenAt(text, floor + open);
    if (token === null || token.end !== end) return { start, endsTurn };
    start = token.start;
    endsTurn ||= token.endsTurn;
  }
}

/** Behind the tokens that a reply starts with, and the role that some templates write there. */
export function skipOpeningTokens(text: string): number {
  let position = skipSpace(text, 0);
  for (let token = tokenAt(text, position); token !== null; token = tokenAt(text, position)) {
    position = skipBlanks(text, token.end);
    if (text.startsWith('assistant', position)) position += 'assistant'.length;
    position = skipSpace(text, position);
  }
  return position;
}
