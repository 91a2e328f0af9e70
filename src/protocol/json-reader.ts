import { type Json, MAX_INPUT_DEPTH } from '../../machines/vocabulary/json.ts';

/** What was found where a JSON value was expected. */
export interface JsonReading {
  /** `open`: the text ended before the value did. */
  readonly status: 'complete' | 'invalid' | 'open';
  /** The value, when complete and no deeper than {@link MAX_DEPTH}; else null. */
  readonly value: Json;
  /** Behind the value; or the offending character; or the end of the text. */
  readonly end: number;
  /** The deepest nesting of arrays and objects met. */
  readonly depth: number;
  /** The last string read, quotes included; it may be the one that stayed open. */
  readonly lastString: { readonly start: number; readonly end: number };
}

type Container = Json[] | Record<string, Json>;

/** Deeper values are measured, not built: what handles them downstream recurses, and refuses them. */
export const MAX_DEPTH = MAX_INPUT_DEPTH;

type Expecting = 'value' | 'valueOrEnd' | 'keyOrEnd' | 'colon' | 'commaOrEnd';

const WHITE_SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const NUMBER_CHARACTERS = /[-+.eE0-9]*/y;
const PLAIN_CHARACTERS = /[^"\\]*/y;
const ESCAPES = new Set('"\\/bfnrt');
const CONTROL_CHARACTERS = /\p{Cc}/gu;
const WORDS: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/**
 * Reads one JSON value (RFC 8259) from `start` on, without recursion and in linear time. More
 * than the RFC allows: raw control characters in strings, and a comma before a closing bracket.
 * A number beyond a double's range is invalid, an integer beyond 2^53 is rounded, the last of
 * equal keys wins. `extentOnly` lets unknown escapes pass and decodes no strings, for a caller that wants no value.
 */
export function readJson(text: string, start: number, extentOnly = false): JsonReading {
  return new Reader(text, start, extentOnly).read();
}

/** The first position from `from` on that holds no JSON white space. */
export function skipJsonSpace(text: string, from: number): number {
  return match(WHITE_SPACE, text, from);
}

class Reader {
  private readonly text: string;
  private readonly extentOnly: boolean;
  /** What is open: 1 for an array, 0 for an object. */
  private readonly open: number[] = [];
  private readonly containers: Container[] = [];
  private readonly keys: string[] = [];
  private position: number;
  private depth = 0;
  private lastString = { start: -1, end: -1 };
  private expecting: Expecting = 'value';
  private result: Json | undefined;

  constructor(text: string, start: number, extentOnly: boolean) {
    this.text = text;
    this.position = start;
    this.extentOnly = extentOnly;
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
        if (this.close(char)) return true;
        return char === ',' && this.advance(this.inArray() ? 'valueOrEnd' : 'keyOrEnd');
      case 'keyOrEnd':
        return this.close(char) || (char === '"' && this.key());
      case 'valueOrEnd':
        return this.close(char) || this.value(char);
      case 'value':
        return this.value(char);
    }
  }

  private advance(expecting: Expecting): true {
    this.position += 1;
    this.expecting = expecting;
    return true;
  }

  private inArray(): boolean {
    return this.open[this.open.length - 1] === 1;
  }

  /** Takes the bracket that closes what is open, if it stands here. */
  private close(char: string | undefined): boolean {
    if (char !== (this.inArray() ? ']' : '}')) return false;
    this.position += 1;
    this.open.pop();
    const isBuilt = this.open.length < MAX_DEPTH;
    if (isBuilt) this.keys.pop();
    return this.put((isBuilt && this.containers.pop()) || null);
  }

  private put(value: Json): boolean {
    this.expecting = 'commaOrEnd';
    if (this.open.length === 0) this.result = this.depth > MAX_DEPTH ? null : value;
    if (this.open.length === 0 || this.open.length > MAX_DEPTH) return true;
    const container = this.containers.at(-1);
    const key = this.keys.at(-1) ?? '';
    if (Array.isArray(container)) container.push(value);
    else if (key === '__proto__') {
      // Assignment would set the prototype; JSON.parse makes an own property, and so do we.
      const own = { value, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(container, key, own);
    } else if (container !== undefined) container[key] = value;
    return true;
  }

  private value(char: string | undefined): boolean {
    if (char === '{') return this.enter(0, 'keyOrEnd');
    if (char === '[') return this.enter(1, 'valueOrEnd');
    if (char === '"') {
      const string = this.string();
      return string !== null && this.put(string);
    }
    if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) return this.number();
    return this.word();
  }

  private enter(isArray: 0 | 1, expecting: Expecting): boolean {
    this.open.push(isArray);
    this.depth = Math.max(this.depth, this.open.length);
    if (this.open.length <= MAX_DEPTH) {
      this.containers.push(isArray === 1 ? [] : {});
      this.keys.push('');
    }
    return this.advance(expecting);
  }

  private key(): boolean {
    const key = this.string();
    if (key === null) return false;
    if (this.open.length <= MAX_DEPTH) this.keys[this.keys.length - 1] = key;
    this.expecting = 'colon';
    return true;
  }

  private number(): boolean {
    const end = match(NUMBER, this.text, this.position);
    const value = Number(this.text.slice(this.position, end));
    if (end === this.position || !Number.isFinite(value)) return this.brokenNumber(this.position);
    if (match(NUMBER_CHARACTERS, this.text, end) > end) return this.brokenNumber(end);
    this.position = end;
    return this.put(value);
  }

  /** "1." and "1e" match only as far as they are numbers: cut off, if nothing follows. */
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
    let isPlain = true;
    this.position += 1;
    for (;;) {
      const end = match(PLAIN_CHARACTERS, this.text, this.position);
      this.position = end;
      this.lastString.start = start;
      this.lastString.end = end + 1;
      if (end >= this.text.length) return null;
      this.position += 1;
      if (this.text[end] === '"') return this.decode(start, isPlain);
      isPlain = false;
      if (!this.escape()) return null;
    }
  }

  private decode(start: number, isPlain: boolean): string {
    if (this.extentOnly) return '';
    if (isPlain) return this.text.slice(start + 1, this.position - 1);
    const escaped = this.text
      .slice(start, this.position)
      .replace(CONTROL_CHARACTERS, escapeControl);
    return JSON.parse(escaped) as string;
  }

  /** Steps over what follows a backslash. */
  private escape(): boolean {
    const char = this.text[this.position];
    if (char === undefined) return false;
    this.position += 1;
    if (this.extentOnly || ESCAPES.has(char)) return true;
    this.position -= 1;
    return char === 'u' && this.unicodeEscape();
  }

  private unicodeEscape(): boolean {
    for (let count = 0; count < 4; count += 1) {
      this.position += 1;
      if (!/[0-9a-fA-F]/.test(this.text[this.position] ?? '')) return false;
    }
    this.position += 1;
    return true;
  }
}

function escapeControl(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function match(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
