import type { Io } from './io.ts';
import { textWidth } from './width.ts';

/** One line of the region: its text, no wider than the screen, and how it is coloured. */
export interface LiveLine {
  readonly text: string;
  readonly style?: (text: string) => string;
}

/** Lines at the end of the screen that are drawn over. Everything is written in one piece. */
export class LiveRegion {
  readonly #io: Io;
  #widths: readonly number[] = [];

  constructor(io: Io) {
    this.#io = io;
  }

  /** Columns a line may have: one is left free, or a full line would wrap. */
  get columns(): number {
    return Math.max(10, this.#io.stderr.columns || 80) - 1;
  }

  /** Lines the region may have. */
  get rows(): number {
    return Math.max(2, (this.#io.stderr.rows || 24) - 1);
  }

  /** Draws the region anew, below `above` if there is some. */
  draw(lines: readonly LiveLine[], above = ''): void {
    const shown = lines.slice(0, this.rows);
    const erased = this.#erased();
    this.#widths = shown.map(({ text }) => textWidth(text));
    const styled = shown.map(({ text, style }) => (style ? style(text) : text)).join('\n');
    // The cursor rests at the start of the last line: an echoed ^C would wrap at its end.
    const output = `${erased}${above}${styled}${shown.length > 0 ? '\r' : ''}`;
    if (output !== '') this.#io.stderr.write(output);
  }

  erase(): void {
    this.draw([]);
  }

  /** Codes that take away what is there, also where a narrower screen has wrapped it by now. */
  #erased(): string {
    if (this.#widths.length === 0) return '';
    const columns = this.columns + 1;
    // The cursor is at the start of the last line, however many rows that takes by now.
    const rows = this.#widths
      .slice(0, -1)
      .reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return `\r${rows > 0 ? `\u001b[${rows}A` : ''}\u001b[J`;
  }
}
