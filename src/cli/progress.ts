import { printable } from '../../machines/vocabulary/printable.ts';
import type { TodoItem } from '../../machines/vocabulary/todos.ts';
import type { ModelStep, RunEvent } from '../run/run.types.ts';
import { colorsOf, type Io, isLive } from './io.ts';
import { type LiveLine, LiveRegion } from './live-region.ts';
import {
  duration,
  type LineStyle,
  questionText,
  sayTokens,
  stepText,
  type Tone,
  todoLines,
  tokensOf,
} from './step-lines.ts';
import { say } from './texts.ts';
import { cutToWidth, textWidth, wrapToWidth } from './width.ts';

/** Milliseconds between two drawings of the live line. */
const REDRAW = 100;

/** Rows of the streamed answer, at most; and the part of the screen it may take. */
const STREAM_ROWS = 8;

export interface ProgressOptions {
  readonly style: Omit<LineStyle, 'width'>;
  /** Nothing at all is shown. */
  readonly quiet: boolean;
}

/**
 * Shows a run on stderr: finished steps as permanent lines. On a terminal there is a live part
 * below them: what the model is writing, one line with state, turn, tokens and time, and the to-do
 * list. Without one there are no cursor codes.
 */
export class Progress {
  readonly #io: Io;
  readonly #options: ProgressOptions;
  readonly #region: LiveRegion | null;
  readonly #since: number;
  readonly #models: ModelStep[] = [];
  #state = '';
  #turn = 0;
  #streamed = '';
  #todos: readonly TodoItem[] = [];
  #stopTimer: (() => void) | null = null;
  /** What is to be written once a question is off the screen; null while none is there. */
  #held: string[] | null = null;

  constructor(io: Io, options: ProgressOptions) {
    this.#io = io;
    this.#options = options;
    this.#region = isLive(io) && !options.quiet ? new LiveRegion(io) : null;
    this.#since = io.clock.now();
  }

  start(): void {
    if (this.#region === null) return;
    this.#stopTimer ??= this.#io.clock.every(REDRAW, () => this.#draw());
  }

  /** Ends the live part; the to-do list stays as it was last. */
  stop(): void {
    this.release();
    this.#stopTimer?.();
    this.#stopTimer = null;
    this.#region?.erase();
    if (this.#region === null) return;
    const lines = todoLines(this.#todos, this.#style);
    this.#todos = [];
    if (lines.length > 0) this.#write(lines.join('\n'));
  }

  /** Takes the live part away and keeps everything back, so that a person can be asked. */
  hold(): void {
    this.#region?.erase();
    this.#held ??= [];
  }

  /** Writes what was kept back, and goes on. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const text of held) this.#write(text);
  }

  see(event: RunEvent): void {
    if (this.#options.quiet) return;
    switch (event.type) {
      case 'state':
        this.#state = event.state.split('.')[0] ?? '';
        break;
      case 'delta':
        this.#hear(event);
        break;
      case 'step.started':
        this.#turn = event.step.turn;
        if (event.step.kind === 'model') this.#streamed = '';
        // On a terminal the question itself is shown.
        if (event.step.kind === 'person' && this.#region === null)
          this.say(questionText(event.step, this.#style), 'bad');
        break;
      case 'step.finished': {
        if (event.step.kind === 'model') this.#models.push(event.step);
        const line = stepText(event.step, this.#style);
        if (line !== null) this.say(line.text, line.tone);
        break;
      }
      case 'todos':
        this.#todos = event.todos;
        if (this.#region === null) this.say(todoLines(event.todos, this.#style).join('\n'));
        break;
    }
  }

  /** Writes permanent lines. */
  say(text: string, tone: Tone = 'plain'): void {
    if (this.#options.quiet || text === '') return;
    const { width } = this.#style;
    const fitting = width === null ? text : wrapToWidth(text, width).join('\n');
    const colored = this.#paint(tone)(fitting);
    if (this.#held === null) this.#write(colored);
    else this.#held.push(colored);
  }

  #write(text: string): void {
    if (this.#region === null) this.#io.stderr.write(`${text}\n`);
    else this.#region.draw(this.#stopTimer === null ? [] : this.#lines(), `${text}\n`);
  }

  #hear({ delta }: Extract<RunEvent, { type: 'delta' }>): void {
    if (delta.kind === 'reasoning') return;
    if (delta.kind === 'call' && delta.tool !== undefined) this.#streamed += `\n${delta.tool} `;
    this.#streamed += delta.text;
  }

  #draw(): void {
    if (this.#held === null) this.#region?.draw(this.#lines());
  }

  #lines(): LiveLine[] {
    const { dim } = colorsOf(this.#io);
    const { columns, rows } = this.#region as LiveRegion;
    const todos = todoLines(this.#todos, this.#style);
    const room = Math.max(1, rows - 1);
    const list = todos.length <= room ? todos : todos.slice(0, Math.max(0, room - 1));
    const left = todos.length - list.length;
    if (left > 0) list.push(say(this.#style.locale, 'more', { count: left }));
    return [
      ...this.#streamLines(columns, Math.min(STREAM_ROWS, Math.floor((room - list.length) / 2))),
      { text: this.#liveLine(columns), style: dim },
      ...list.map((text) => ({ text: cutToWidth(text, columns) })),
    ];
  }

  #liveLine(columns: number): string {
    const { locale } = this.#style;
    const tokens = this.#models.length === 0 ? '' : sayTokens(tokensOf(this.#models));
    const turn = say(locale, 'turn', { turn: this.#turn });
    const time = duration(this.#io.clock.now() - this.#since);
    const parts = [this.#state, turn, tokens, time].filter(Boolean);
    const line = parts.join(' · ');
    return textWidth(line) <= columns ? line : cutToWidth(parts.join(' '), columns);
  }

  /** The last lines of what the model is writing. */
  #streamLines(columns: number, rows: number): LiveLine[] {
    if (this.#streamed.trim() === '' || rows < 1) return [];
    // A character may have been cut in two.
    const end = this.#streamed.slice(-2 * columns * rows).replace(/^[\udc00-\udfff]/u, '');
    const text = printable(end).replaceAll('\t', ' ').trimEnd();
    const lines = wrapToWidth(text, columns - 2);
    return lines.slice(-rows).map((line) => ({ text: `  ${line}` }));
  }

  get #style(): LineStyle {
    return { ...this.#options.style, width: this.#region?.columns ?? null };
  }

  #paint(tone: Tone): (text: string) => string {
    const colors = colorsOf(this.#io);
    const paints = { plain: String, quiet: colors.dim, good: colors.green, bad: colors.yellow };
    // Colours end with each line, or a cut screen would stay coloured.
    return (text) => text.split('\n').map(paints[tone]).join('\n');
  }
}
