import type { Json } from '../../machines/vocabulary/json.ts';

/** What was found where a JSON value was expected. */
export interface JsonReading {
  /** `open`: the text ended before the value did. */
  readonly status: 'complete' | 'invalid' | 'open';
  /** The value, when complete. */
  readonly value: Json;
  /** Behind the value; or the offending character; or the end of the text. */
  readonly end: number;
  /** The deepest nesting of arrays and objects met. */
  readonly depth: number;
  /** The last string read, quotes included; it may be the one that stayed open. */
  readonly lastString: { readonly start: number; readonly end: number };
}

interface Frame {
  readonly container: Json[] | Record<string, Json>;
  key: string;
}

type Expecting = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd';

const WHITE_SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const NUMBER_CHARACTERS = /[-+.eE0-9]*/y;
const PLAIN_CHARACTERS = /[^"\\]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const WORDS: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/**
 * Reads one JSON value (RFC 8259) from `start` on, without recursion and in linear time. More
 * than the RFC allows: raw control characters in strings, and a comma before a closing bracket.
 * A number beyond a double's range is invalid, an integer beyond 2^53 is rounded, the last of
 * equal keys wins. `anyEscape` lets unknown escapes pass, for a caller that only wants the extent.
 */
export function readJson(text: string, start: number, anyEscape = false): JsonReading {
  return new Reader(text, start, anyEscape).read();
}

/** The first position from `from` on that holds no JSON white space. */
export function skipJsonSpace(text: string, from: number): number {
  return match(WHITE_SPACE, text, from);
}

class Reader {
  private readonly text: string;
  private readonly anyEscape: boolean;
  private readonly stack: Frame[] = [];
  private position: number;
  private depth = 0;
  private lastString = { start: -1, end: -1 };
  private expecting: Expecting = 'value';
  private result: Json | undefined;

  constructor(text: string, start: number, anyEscape: boolean) {
    this.text = text;
    this.position = start;
    this.anyEscape = anyEscape;
  }

  read(): JsonReading {
    for (;;) {
      this.position = skipJsonSpace(this.text, this.position);
      if (this.position >= this.text.length) return this.ended('open');
      if (!this.step()) return this.ended(this.position >= this.text.length ? 'open' : 'invalid');
      if (this.result !== undefined) return this.ended('complete');
    }
  }

  private ended(status: JsonReading['status']): JsonReading {
    const { position: end, depth, lastString } = this;
    return { status, value: this.result ?? null, end, depth, lastString };
  }

  /** Takes one token; false when it does not fit, with `position` on the fault. */
  private step(): boolean {
    const char = this.text[this.position];
    switch (this.expecting) {
      case 'colon':
        return char === ':' && this.advance('value');
      case 'commaOrEnd':
        if (this.closes(char)) return this.close();
        return char === ',' && this.advance(this.inArray() ? 'valueOrEnd' : 'keyOrEnd');
      case 'keyOrEnd':
        if (this.closes(char)) return this.close();
        return char === '"' && this.key();
      case 'key':
        return char === '"' && this.key();
      case 'valueOrEnd':
        if (this.closes(char)) return this.close();
        return this.value(char);
      case 'value':
        return this.value(char);
    }
  }

  private advance(expecting: Expecting): boolean {
    this.position += 1;
    this.expecting = expecting;
    return true;
  }

  private inArray(): boolean {
    return Array.isArray(this.stack.at(-1)?.container);
  }

  private closes(char: string | undefined): boolean {
    return char === (this.inArray() ? ']' : '}');
  }

  private close(): boolean {
    this.position += 1;
    return this.put(this.stack.pop()?.container ?? null);
  }

  private put(value: Json): boolean {
    const frame = this.stack.at(-1);
    this.expecting = 'commaOrEnd';
    if (frame === undefined) this.result = value;
    else if (Array.isArray(frame.container)) frame.container.push(value);
    else if (frame.key === '__proto__') {
      // Assignment would set the prototype; JSON.parse makes an own property, and so do we.
      const own = { value, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(frame.container, frame.key, own);
    } else frame.container[frame.key] = value;
    return true;
  }

  private value(char: string | undefined): boolean {
    if (char === '{') return this.open({}, 'keyOrEnd');
    if (char === '[') return this.open([], 'valueOrEnd');
    if (char === '"') {
      const string = this.string();
      return string !== null && this.put(string);
    }
    if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) return this.number();
    return this.word();
  }

  private open(container: Frame['container'], expecting: Expecting): boolean {
    this.stack.push({ container, key: '' });
    this.depth = Math.max(this.depth, this.stack.length);
    return this.advance(expecting);
  }

  private key(): boolean {
    const key = this.string();
    const frame = this.stack.at(-1);
    if (key === null || frame === undefined) return false;
    frame.key = key;
    this.expecting = 'colon';
    return true;
  }

  private number(): boolean {
    const end = match(NUMBER, this.text, this.position);
    const value = Number(this.text.slice(this.position, end));
    if (end === this.position || !Number.isFinite(value)) return this.brokenNumber(this.position);
    // "1." and "1e" match only as far as they are numbers: cut off, if nothing follows.
    if (match(NUMBER_CHARACTERS, this.text, end) > end) return this.brokenNumber(end);
    this.position = end;
    return this.put(value);
  }

  private brokenNumber(at: number): boolean {
    const end = match(NUMBER_CHARACTERS, this.text, at);
    const isCut = end >= this.text.length && !/[0-9]/.test(this.text[end - 1] ?? '');
    this.position = isCut ? end : at;
    return false;
  }

  private word(): boolean {
    for (const [word, value] of WORDS) {
      let length = 0;
      while (length < word.length && this.text[this.position + length] === word[length])
        length += 1;
      if (length === 0) continue;
      this.position += length;
      return length === word.length && this.put(value);
    }
    return false;
  }

  /** The string at `position`, or null with `position` on the fault or at the end of the text. */
  private string(): string | null {
    const start = this.position;
    const parts: string[] = [];
    this.position += 1;
    for (;;) {
      const end = match(PLAIN_CHARACTERS, this.text, this.position);
      parts.push(this.text.slice(this.position, end));
      this.position = end;
      this.lastString = { start, end: end + 1 };
      if (end >= this.text.length) return null;
      this.position += 1;
      if (this.text[end] === '"') return parts.join('');
      const escaped = this.escape();
      if (escaped === null) return null;
      parts.push(escaped);
    }
  }

  private escape(): string | null {
    const char = this.text[this.position];
    if (char === undefined) return null;
    if (char === 'u') return this.unicodeEscape();
    const escaped = Object.hasOwn(ESCAPES, char) ? ESCAPES[char] : undefined;
    if (escaped === undefined && !this.anyEscape) return null;
    this.position += 1;
    return escaped ?? char;
  }

  private unicodeEscape(): string | null {
    let digits = '';
    while (digits.length < 4) {
      const char = this.text[this.position + 1 + digits.length];
      if (char === undefined || !/[0-9a-fA-F]/.test(char)) break;
      digits += char;
    }
    const isWhole = digits.length === 4;
    this.position += isWhole || !this.anyEscape ? 1 + digits.length : 1;
    if (isWhole) return String.fromCharCode(Number.parseInt(digits, 16));
    return this.anyEscape && this.position < this.text.length ? 'u' : null;
  }
}

function match(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
