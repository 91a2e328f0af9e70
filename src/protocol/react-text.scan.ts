import { closingFence, openingFence } from './fences.ts';
import { readJson } from './json-reader.ts';
import { afterLineBreak, lineStartOf, skipBlanks, skipSpace } from './lines.ts';
import { findInlineLabel } from './react-text.inline.ts';
import { type Label, matchLabel, matchPartialLabel } from './react-text.labels.ts';
import { ReactState, type Scan, type ScanOptions, type Section } from './react-text.state.ts';
import { skipOpeningTokens, tokenAt, trailingTokens } from './special-tokens.ts';
import type { ThinkTag } from './think.ts';

const PROSE: ReadonlySet<Section['kind']> = new Set(['preamble', 'thought', 'observation']);
const ROLE_LINE = /^\s*(?:user|system|tool|assistant|observation)?\s*$/u;

/** Takes a reply apart at its labels: one pass, no step back over more than a line. */
export function scanReact(text: string, options: ScanOptions): Scan {
  return new Scanner(text, options).scan();
}

class Scanner extends ReactState {
  scan(): Scan {
    this.restart(0);
    const tokensEnd = skipOpeningTokens(this.text);
    if (tokensEnd > 0) this.skip({ start: 0, end: tokensEnd });
    while (this.end === null && this.position < this.text.length) this.step();
    return this.result();
  }

  /** Takes one line, or the part of it up to something that changes how to read on. */
  private step(): void {
    const at = skipBlanks(this.text, this.position);
    if (this.takeThinkBlock(at)) return;
    if (this.isLineStart && (this.takeToken(at) || this.takeLabel() || this.takePartial())) return;
    if (this.takeFence(at) || this.takeJson(at)) return;
    this.takeText(at);
  }

  private takeThinkBlock(at: number): boolean {
    const tag = this.tags.next(at);
    if (!tag?.opens || tag.start !== at) return false;
    if (!this.isLineStart && !this.isBlankSoFar) return false;
    const closer = this.tags.nextCloser(tag.end);
    if (closer === null) return this.finish(this.text.length, 'think');
    this.skip({ start: at, end: closer.end });
    return true;
  }

  private takeToken(at: number): boolean {
    const token = tokenAt(this.text, at);
    if (token === null) return false;
    const isTurn =
      token.endsTurn &&
      this.sections.length > 1 &&
      (!this.hasAnswer || ROLE_LINE.test(this.text.slice(token.end, this.lineEnd)));
    if (isTurn) return this.finish(this.position);
    if (this.hasAnswer) return false;
    this.skip(token);
    return true;
  }

  private takeLabel(): boolean {
    const label = matchLabel(this.text, this.position);
    if (label === null) return false;
    if (label.kind === 'bareInput') {
      if (this.hasAnswer || this.current.kind !== 'action') return false;
      return this.push({ ...label, kind: 'input' });
    }
    if (label.kind === 'observation') return this.takeObservation(label);
    return this.push(label);
  }

  /** An observation ends the call before it; without one it is only a kind of thought. */
  private takeObservation(label: Label): boolean {
    if (this.hasAnswer) return false;
    this.noteAction(label.start);
    if (this.hasCall) return this.finish(label.start);
    return this.push(label);
  }

  /** A label without its colon, which the reply ends in. */
  private takePartial(): boolean {
    if (this.hasAnswer || this.lineEnd < this.text.length) return false;
    const partial = matchPartialLabel(this.text, this.position);
    if (partial === null) return false;
    const { kind, isWhole, hasFirstWord, isLong, letters } = partial;
    const valueStart = this.text.length;
    if (kind === 'observation' && isWhole) {
      return this.takeObservation({ kind, start: this.position, valueStart, emphasis: '' });
    }
    if (this.current.kind !== 'input') return isLong && this.finish(valueStart, 'label');
    if (this.isBlankSoFar) return false;
    if (kind === 'observation') return letters > 1 && this.finish(this.position);
    return hasFirstWord && this.finish(valueStart, 'label');
  }

  private takeFence(at: number): boolean {
    if (!this.isLineStart && !this.isBlankSoFar) return false;
    const opening = openingFence(this.text, at, this.lineEnd);
    if (opening === null) return false;
    const { kind } = this.current;
    const fence = closingFence(this.text, opening, kind === 'input' && this.isBlankSoFar);
    if (fence === null) {
      // Reasoning whose opening tag the template supplied may leave a fence open; but look once.
      const closer = this.hasRestarted ? null : this.tags.nextCloser(at);
      if (closer === null || this.hasCall || this.hasAnswer) {
        this.closer = opening.marker.repeat(opening.length);
        return this.finish(this.text.length, 'fence');
      }
      this.hasRestarted = true;
      this.restart(closer.end);
      return true;
    }
    if (PROSE.has(kind)) this.fences.push({ ...fence, start: at });
    this.position = fence.end;
    this.isLineStart = true;
    this.isBlankSoFar = false;
    return true;
  }

  /** A JSON value is taken whole; what only begins as one protects no more than its strings. */
  private takeJson(at: number): boolean {
    const { kind } = this.current;
    if (!this.isBlankSoFar || (kind !== 'input' && kind !== 'final')) return false;
    if (this.text[at] !== '{' && this.text[at] !== '[') return false;
    const { status, end, lastString } = readJson(this.text, at, true);
    if (status === 'open') return this.finish(this.text.length, 'json');
    this.isBlankSoFar = this.isLineStart = false;
    this.position = end;
    if (status === 'complete') return true;
    const lineStart = lineStartOf(this.text, end, at);
    const isInString = lastString.start < lineStart && lineStart < lastString.end;
    this.position = lineStart;
    if (lineStart > at && !isInString) this.isLineStart = true;
    else this.takeText(lineStart);
    return true;
  }

  private takeText(at: number): void {
    const { lineEnd } = this;
    const wasBlank = this.isBlankSoFar;
    this.isBlankSoFar &&= at >= lineEnd;
    if (at < lineEnd && (this.takeTag(lineEnd) || this.takeInline(at, lineEnd, wasBlank))) return;
    this.takeTrailingTokens(at, lineEnd);
    this.position = afterLineBreak(this.text, lineEnd);
    this.isLineStart = true;
    this.isWithinLine = false;
  }

  /** A tag of reasoning within the line. */
  private takeTag(lineEnd: number): boolean {
    let tag = this.tags.next(this.position);
    for (; tag !== null && tag.start < lineEnd; tag = this.tags.next(tag.end)) {
      if (!tag.opens && this.endsReasoning(tag)) {
        this.restart(tag.end);
        return true;
      }
      if (!tag.opens || !PROSE.has(this.current.kind)) continue;
      const closer = this.tags.nextCloser(tag.end);
      if (closer === null) continue;
      this.skip({ start: tag.start, end: closer.end });
      return true;
    }
    return false;
  }

  /** Whether a closing tag without its opening one makes reasoning of all before it. */
  private endsReasoning({ end }: ThinkTag): boolean {
    if (!this.hasCall && !this.hasAnswer && this.current.kind !== 'action') return true;
    return matchLabel(this.text, skipSpace(this.text, end)) !== null;
  }

  private takeInline(at: number, end: number, wasBlank: boolean): boolean {
    const found = this.findInline({ from: at, end }, wasBlank);
    if (found === null) return false;
    if (found.kind === 'observation') return this.takeObservation(found);
    this.push(found);
    this.isWithinLine = true;
    return true;
  }

  private findInline(range: { from: number; end: number }, wasBlank: boolean): Label | null {
    const { kind } = this.current;
    if (kind === 'action' && wasBlank) {
      const first = matchLabel(this.text, range.from);
      if (first?.kind === 'final') return first;
      return findInlineLabel(this.text, range, (label) => label.kind === 'input');
    }
    if (kind === 'input' && this.isWithinLine) {
      return findInlineLabel(this.text, range, (label) => label.isExact);
    }
    if (kind !== 'thought' || !wasBlank || !this.options.oneLine) return null;
    const input = findInlineLabel(this.text, range, (label) => label.kind === 'input');
    const until = { from: range.from, end: input?.start ?? range.end };
    const action = input && findInlineLabel(this.text, until, (label) => label.kind === 'action');
    if (action) return action;
    return findInlineLabel(this.text, range, (label) => label.kind === 'final' && label.isExact);
  }

  private takeTrailingTokens(at: number, lineEnd: number): void {
    const { kind } = this.current;
    if (this.hasAnswer) return;
    const { start, endsTurn } = trailingTokens(this.text, at, lineEnd);
    if (start === lineEnd) return;
    this.holes.push({ start, end: lineEnd });
    if (kind === 'input' && endsTurn) this.finish(start);
  }
}
