import { eastAsianWidth } from 'get-east-asian-width';

/**
 * Columns of text on a terminal: East Asian wide characters and emoji take two, combining and
 * invisible characters none. After Unicode's East Asian Width; where terminals differ (joined
 * emoji) it is the larger number, so that a line that fits by this count never wraps.
 */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Text on one line, cut with `…` to a number of columns. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  return `${startWithin(text, width - 1)}…`;
}

/** Text filled up with spaces to a number of columns. */
export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/**
 * Lines no wider than `width`, broken at spaces and beside wide characters, and inside a word only
 * where that is longer than a line. `indent` is for all but the first.
 */
export function wrapToWidth(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let rest = paragraph;
    let lead = '';
    while (textWidth(lead + rest) > width) {
      const room = Math.max(2, width - textWidth(lead));
      const start = startWithin(rest, room) || [...rest].slice(0, 1).join('');
      const end = lastBreak(rest, start.length);
      const taken = end > start.length / 3 ? rest.slice(0, end).trimEnd() || start : start;
      lines.push(lead + taken);
      rest = rest.slice(taken.length).trimStart();
      lead = indent;
    }
    if (rest !== '' || lead === '') lines.push(lead + rest);
  }
  return lines;
}

/** What no line begins with, and what none ends with. */
const CLOSING = /^[\p{Pe}\p{Pf}，。、；：？！…·]/u;
const OPENING = /^[\p{Ps}\p{Pi}]/u;

/** The last place up to `longest` where a line may end; 0 for none. */
function lastBreak(text: string, longest: number): number {
  const next = [...text.slice(longest)][0] ?? '';
  const characters = [...text.slice(0, longest)];
  let end = longest;
  for (let after = next; characters.length > 0; ) {
    const before = characters.pop() ?? '';
    if (mayBreak(before, after)) return end;
    end -= before.length;
    after = before;
  }
  return 0;
}

function mayBreak(before: string, after: string): boolean {
  if (before === ' ' || after === ' ') return true;
  const [left, right] = [characterWidth(before), characterWidth(after)];
  if (left === 0 || right === 0 || (left < 2 && right < 2)) return false;
  return !OPENING.test(before) && !CLOSING.test(after);
}

/** The longest start of a text that fits. */
function startWithin(text: string, width: number): string {
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : 1;
  // The sign that asks for the emoji form makes the character before it wide.
  if (code === 0xfe0f) return 1;
  if (/^[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) return 0;
  return eastAsianWidth(code);
}
