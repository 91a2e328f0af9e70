import type { Fence } from './fences.ts';
import { lineEndOf } from './lines.ts';
import type { Label, LabelKind } from './react-text.labels.ts';
import { type Hole, textWithout } from './react-text.values.ts';
import { ThinkTags } from './think.ts';

/** A label and the text that belongs to it; the first section has no label. */
export interface Section {
  readonly kind: LabelKind | 'preamble';
  readonly valueStart: number;
  readonly emphasis: string;
  /** Where the next section starts, or reading ended. */
  end: number;
}

/** A fenced block; `start` is where its opening line does. */
export interface StepFence extends Fence {
  readonly start: number;
}

/** A reply taken apart. */
export interface Scan {
  readonly sections: readonly Section[];
  /** Stretches that belong to no value: reasoning and control tokens. */
  readonly holes: readonly Hole[];
  /** Fenced blocks outside of any value: they may hold a whole step. */
  readonly fences: readonly StepFence[];
  /** What the reply ends in without having finished it. */
  readonly open: 'think' | 'fence' | 'json' | 'label' | null;
  /** The line that would close the open fence, or ''. */
  readonly closer: string;
  /** Where reading ended: at the end, or where the model began to invent what comes next. */
  readonly end: number;
}

export interface ScanOptions {
  /** Read a Thought line that holds the whole step on itself. */
  readonly oneLine: boolean;
  /** Whether an Action's value names a tool; "None" does not. */
  isTool(value: string): boolean;
}

/**
 * Where a scan stands: what it has found so far, and what it knows of the place it is at. The
 * methods change it; how to read on is the scanner's business.
 */
export class ReactState {
  protected readonly text: string;
  protected readonly options: ScanOptions;
  protected readonly tags: ThinkTags;
  protected readonly holes: Hole[] = [];
  protected readonly line = { start: 0, end: -1 };
  protected sections: Section[] = [];
  protected fences: StepFence[] = [];
  protected open: Scan['open'] = null;
  protected closer = '';
  protected end: number | null = null;
  protected position = 0;
  protected isLineStart = true;
  protected hasRestarted = false;
  /** Nothing but white space has been seen of the current section's value. */
  protected isBlankSoFar = true;
  /** The current section was found within a line: more labels on that line count too. */
  protected isWithinLine = false;
  /** A named tool or an input for one has been seen. */
  protected hasCall = false;
  protected hasAnswer = false;
  /** The last Action named no tool, so an input for it is none either. */
  protected isDummy = false;

  constructor(text: string, options: ScanOptions) {
    this.text = text;
    this.options = options;
    this.tags = new ThinkTags(text);
  }

  protected get current(): Section {
    return this.sections.at(-1) as Section;
  }

  protected get lineEnd(): number {
    if (this.position < this.line.start || this.position > this.line.end) {
      this.line.start = this.position;
      this.line.end = lineEndOf(this.text, this.position);
    }
    return this.line.end;
  }

  /** Forgets everything before `position`: it was reasoning. */
  protected restart(position: number): void {
    this.sections = [{ kind: 'preamble', valueStart: position, emphasis: '', end: position }];
    this.fences = [];
    this.position = position;
    this.isLineStart = this.isBlankSoFar = true;
    this.isWithinLine = this.hasCall = this.hasAnswer = this.isDummy = false;
  }

  protected skip(hole: Hole): void {
    this.holes.push(hole);
    this.position = hole.end;
    this.isLineStart = true;
  }

  protected finish(end: number, open: Scan['open'] = null): true {
    this.end = end;
    this.open = open;
    return true;
  }

  protected push({ kind, start, valueStart, emphasis }: Label): true {
    this.noteAction(start);
    if (kind === 'input') {
      this.hasCall ||= !this.isDummy;
      this.isDummy = false;
    }
    this.hasAnswer ||= kind === 'final';
    this.current.end = start;
    this.sections.push({ kind, valueStart, emphasis, end: valueStart });
    this.position = valueStart;
    this.isLineStart = this.isWithinLine = false;
    this.isBlankSoFar = true;
    return true;
  }

  /** Looks whether the Action that ends here names a tool. */
  protected noteAction(end: number): void {
    const { kind, valueStart } = this.current;
    if (kind !== 'action') return;
    this.isDummy = !this.options.isTool(
      textWithout(this.text, { start: valueStart, end }, this.holes),
    );
    this.hasCall ||= !this.isDummy;
  }

  /** Takes what was found; the last section ends where reading did. */
  protected result(): Scan {
    const end = this.end ?? this.text.length;
    this.current.end = end;
    const { sections, holes, fences, open, closer } = this;
    return { sections, holes, fences, open, closer, end };
  }
}
