import type { RunEvent } from '../run/run.types.ts';
import { colorsOf, type Io, isInteractive, printableLine } from './io.ts';
import { duration, type LineStyle, stepLine, todoLines } from './step-lines.ts';

/** Milliseconds between two drawings of the live line. */
const REDRAW = 100;

export interface ProgressOptions {
  readonly style: Omit<LineStyle, 'width'>;
  /** Nothing at all is shown. */
  readonly quiet: boolean;
}

/**
 * Shows a run on stderr: finished steps as permanent lines; on a terminal also one live line with
 * the state, the turn, and the end of what the model is writing. Without one there are no cursor
 * codes.
 */
export class Progress {
  readonly #io: Io;
  readonly #options: ProgressOptions;
  readonly #live: boolean;
  readonly #since = Date.now();
  #state = '';
  #turn = 0;
  #tail = '';
  #drawn = false;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(io: Io, options: ProgressOptions) {
    this.#io = io;
    this.#options = options;
    this.#live = isInteractive(io) && !options.quiet;
  }

  start(): void {
    if (this.#live) this.#timer = setInterval(() => this.#draw(), REDRAW);
  }

  /** Clears the live line and stops drawing it, so that something else may be written. */
  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#erase();
  }

  see(event: RunEvent): void {
    if (this.#options.quiet) return;
    if (event.type === 'state') {
      this.#state = event.state;
      this.#tail = '';
    }
    if (event.type === 'delta' && event.delta.kind === 'text') this.#tail += event.delta.text;
    if (event.type === 'step.started') this.#turn = event.step.turn;
    if (event.type === 'step.finished') {
      const { kind } = event.step;
      const line = stepLine(event.step, this.#style);
      const colors = colorsOf(this.#io);
      if (line !== null) this.say(kind === 'decision' ? colors.yellow(line) : line);
    }
    if (event.type === 'todos') this.say(todoLines(event.todos, this.#style).join('\n'));
  }

  /** Writes a permanent line. */
  say(text: string): void {
    if (this.#options.quiet || text === '') return;
    this.#erase();
    this.#io.stderr.write(`${text}\n`);
  }

  get #style(): LineStyle {
    return { ...this.#options.style, width: this.#width };
  }

  get #width(): number {
    return this.#live ? Math.max(20, this.#io.stderr.columns ?? 80) : 240;
  }

  #draw(): void {
    const parts = [this.#state, `turn ${this.#turn}`, duration(Date.now() - this.#since)];
    const tail = this.#tail === '' ? '' : ` · ${[...this.#tail].slice(-120).join('')}`;
    // One column is left free: a full line would wrap and could not be erased again.
    const line = printableLine(`${parts.join(' · ')}${tail}`, Math.floor((this.#width - 1) / 2));
    this.#erase();
    this.#io.stderr.write(colorsOf(this.#io).dim(line));
    this.#drawn = true;
  }

  #erase(): void {
    if (!this.#drawn) return;
    this.#io.stderr.write('\r\u001b[2K');
    this.#drawn = false;
  }
}
