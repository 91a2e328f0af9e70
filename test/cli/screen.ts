/**
 * A small terminal: what is on the screen after the bytes written so far. Strict: a control
 * sequence it does not know throws. Its idea of wide characters is its own.
 */
export class Screen {
  readonly #rows: number;
  #columns: number;
  #lines: string[][] = [[]];
  #row = 0;
  #column = 0;
  /** How often a line was too long and went on in the next row. */
  wraps = 0;

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
  }

  /** Everything ever scrolled up, and the screen; without spaces and empty lines at the ends. */
  get text(): string {
    return this.#lines
      .map((cells) => cells.join('').trimEnd())
      .join('\n')
      .trimEnd();
  }

  write(output: string): void {
    for (const [token] of output.matchAll(/\u001b\[[\d;?]*[A-Za-z]|[^]/gu)) {
      if (token.startsWith('\u001b')) this.#control(token);
      else if (token === '\n') this.#down();
      else if (token === '\r') this.#column = 0;
      else this.#put(token);
    }
  }

  #put(character: string): void {
    const width = widthOf(character);
    if (width === 0) return;
    if (this.#column + width > this.#columns) {
      this.wraps += 1;
      this.#down();
    }
    const line = this.#line;
    while (line.length < this.#column) line.push(' ');
    line.splice(this.#column, width, character, ...(width === 2 ? [''] : []));
    this.#column += width;
  }

  #down(): void {
    this.#row += 1;
    this.#column = 0;
    this.#lines[this.#row] ??= [];
  }

  #control(sequence: string): void {
    const count = Number(/\d+/u.exec(sequence)?.[0] ?? 1);
    const code = sequence.at(-1);
    if (code === 'm') return;
    if (code === 'A') this.#row = Math.max(this.#row - count, this.#top);
    else if (code === 'G') this.#column = count - 1;
    else if (code === 'J') {
      this.#line.splice(this.#column);
      this.#lines.splice(this.#row + 1);
    } else throw new Error(`the screen does not know ${JSON.stringify(sequence)}`);
  }

  get #line(): string[] {
    const line = this.#lines[this.#row] ?? [];
    this.#lines[this.#row] = line;
    return line;
  }

  /** The first row that can still be reached. */
  get #top(): number {
    return Math.max(0, this.#lines.length - this.#rows);
  }
}

function widthOf(character: string): number {
  if (/^[\p{M}\p{Cf}\p{Cc}]$/u.test(character)) return 0;
  const isWide =
    /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]$/u;
  return isWide.test(character) ? 2 : 1;
}
