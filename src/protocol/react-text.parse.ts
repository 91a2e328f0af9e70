import { parseArguments } from './json-arguments.ts';
import { trimText } from './lines.ts';
import { labelNamed } from './react-text.labels.ts';
import { scanReact } from './react-text.scan.ts';
import type { Scan, Section } from './react-text.state.ts';
import { isNoTool, readAnswer, readInput, readToolName, textWithout } from './react-text.values.ts';
import { trailingTokens } from './special-tokens.ts';

/** Why a reply in text is no step. */
export type ReactCode =
  | 'empty'
  | 'no_label'
  | 'missing_action'
  | 'missing_action_input'
  | 'both_action_and_final'
  | 'multiple_actions'
  | 'truncated';

/** What a reply in text says. `end`: where the model's own words end, in UTF-16 units. */
export type ReactReading =
  | {
      readonly kind: 'action';
      readonly tool: string;
      /** The Action Input as text. */
      readonly input: string;
      readonly end: number;
      /** Whether the model went on after it, so that it cannot be cut off. */
      readonly isClosed: boolean;
    }
  | { readonly kind: 'final'; readonly answer: string; readonly end: number }
  | { readonly kind: 'error'; readonly code: ReactCode; readonly end: number };

/** How a reply came to its end. */
export interface ReplyEnd {
  /**
   * Whether the model had ended, or had met the stop sequence, rather than run out of room. Then a
   * fence is open because what closes it came behind that.
   */
  readonly isStopped: boolean;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Reads a reply written as Thought / Action / Action Input / Final Answer. Total, and linear in
 * the text. `toolNames` are names that count even if they read like "none" or like emphasis.
 */
export function parseReactText(
  reply: string,
  toolNames: ReadonlySet<string> = NO_NAMES,
  { isStopped }: ReplyEnd = { isStopped: false },
): ReactReading {
  const isTool = (value: string) => {
    const name = readToolName(value, toolNames);
    return toolNames.has(name) || (!isNoTool(name) && labelNamed(name) !== 'final');
  };
  const reader = { toolNames, isTool, isStopped, mayUnwrap: true };
  return parse(withoutEndTokens(reply), reader);
}

/** How a text is read: by which names, and whether what is around the step may be looked through. */
interface Reader extends ReplyEnd {
  readonly toolNames: ReadonlySet<string>;
  isTool(value: string): boolean;
  readonly mayUnwrap: boolean;
}

function parse(text: string, reader: Reader): ReactReading {
  const { isTool, isStopped, mayUnwrap } = reader;
  const scan = scanReact(text, { oneLine: false, isTool });
  const stopped = isStopped && scan.open === 'fence' ? parseClosed(text, scan, reader) : null;
  if (stopped !== null) return stopped;
  if (scan.open !== null || isActionable(scan)) return resolve(text, scan, reader);
  const inOneLine = scanReact(text, { oneLine: true, isTool });
  if (isActionable(inOneLine)) return resolve(text, inOneLine, reader);
  return (mayUnwrap ? parseFences(text, scan, reader) : null) ?? resolve(text, scan, reader);
}

/** The call of a reply whose last fence is closed for it; only one whose input is complete. */
function parseClosed(text: string, { closer }: Scan, reader: Reader): ReactReading | null {
  const reading = parse(`${text}\n${closer}`, { ...reader, isStopped: false });
  if (reading.kind !== 'action' || !reading.input.startsWith('{')) return null;
  const end = Math.min(reading.end, text.length);
  return parseArguments(reading.input).ok ? { ...reading, end } : null;
}

/**
 * The step inside a fence, when nothing outside of fences is one. Steps in several fences are read
 * as they would be without.
 */
function parseFences(text: string, { fences, end }: Scan, reader: Reader): ReactReading | null {
  const inside = { ...reader, isStopped: false, mayUnwrap: false };
  const steps = fences.flatMap((fence) => {
    const reading = parse(text.slice(fence.contentStart, fence.contentEnd), inside);
    const isStep = reading.kind !== 'error' || !WITHOUT_STEP.has(reading.code);
    return isStep ? [{ fence, reading }] : [];
  });
  const [first, second] = steps;
  if (first === undefined) return null;
  if (second === undefined) return { ...first.reading, end };
  return parse(
    withoutMarkers(
      text,
      steps.map(({ fence }) => fence),
    ),
    inside,
  );
}

/** The text with blanks in the place of the lines that open and close fences. */
function withoutMarkers(text: string, fences: Scan['fences']): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, contentStart, contentEnd, end } of fences) {
    parts.push(text.slice(from, start), blank(text.slice(start, contentStart)));
    parts.push(text.slice(contentStart, contentEnd), blank(text.slice(contentEnd, end)));
    from = end;
  }
  return [...parts, text.slice(from)].join('');
}

function blank(line: string): string {
  return line.replace(/[^\n\r\u2028\u2029\u0085]/gu, ' ');
}

const WITHOUT_STEP: ReadonlySet<ReactCode> = new Set(['empty', 'no_label', 'missing_action']);

function isActionable({ sections }: Scan): boolean {
  return sections.some(({ kind }) => kind === 'action' || kind === 'input' || kind === 'final');
}

interface Found {
  action: Section | null;
  input: Section | null;
  final: Section | null;
  actions: number;
  inputs: number;
  /** A whole call stands beside the answer, before or after it. */
  isBoth: boolean;
}

function resolve(text: string, scan: Scan, { isTool, toolNames }: Reader): ReactReading {
  const { end } = scan;
  const error = (code: ReactCode): ReactReading => ({ kind: 'error', code, end });
  if (scan.open !== null) return error('truncated');
  const textOf = (section: Section, until = section.end) =>
    textWithout(text, { start: section.valueStart, end: until }, scan.holes);
  const { action, input, final, actions, inputs, isBoth } = collect(scan.sections, (section) => {
    const value = textOf(section);
    if (isTool(value)) return 'tool';
    return labelNamed(readToolName(value, toolNames)) === 'final' ? 'final' : 'none';
  });
  if (isBoth) return error('both_action_and_final');
  if (final !== null) {
    const answer = readAnswer(textOf(final, end), final.emphasis);
    return answer === '' ? error('empty') : { kind: 'final', answer, end };
  }
  if (actions > 1 || (actions === 1 && inputs > 1)) return error('multiple_actions');
  if (action !== null && input !== null) {
    const tool = readToolName(textOf(action), toolNames);
    const isClosed = end < text.length || scan.sections.at(-1) !== input;
    const ownEnd = Math.max(action.end, input.end);
    const value = readInput(textOf(input), input.emphasis);
    return { kind: 'action', tool, input: value, end: ownEnd, isClosed };
  }
  if (action !== null) return error('missing_action_input');
  if (scan.sections.length > 1) return error('missing_action');
  const rest = textWithout(text, { start: scan.sections[0]?.valueStart ?? 0, end }, scan.holes);
  return error(/[^`~]/u.test(withoutSpace(rest)) ? 'no_label' : 'empty');
}

function collect(
  sections: readonly Section[],
  classify: (action: Section) => 'tool' | 'final' | 'none',
): Found {
  const found: Found = {
    action: null,
    input: null,
    final: null,
    actions: 0,
    inputs: 0,
    isBoth: false,
  };
  let last: 'tool' | 'final' | 'none' | null = null;
  for (const section of sections) {
    if (section.kind === 'action') {
      last = classify(section);
      if (last !== 'tool' || found.final !== null) continue;
      found.actions += 1;
      found.action ??= section;
    } else if (section.kind === 'input') {
      if (found.final !== null) found.isBoth ||= last === 'tool';
      else if (last === 'final') found.final = section;
      else if (last !== 'none') {
        found.inputs += 1;
        found.input ??= section;
      }
      if (last !== 'tool') last = null;
    } else if (section.kind === 'final' && found.final === null) {
      found.final = section;
      last = null;
    }
    if (section === found.final) found.isBoth = found.action !== null && found.input !== null;
  }
  return found;
}

function withoutEndTokens(reply: string): string {
  let end = trimText(reply) === '' ? 0 : reply.length;
  while (end > 0 && trimText(reply[end - 1] ?? '') === '') end -= 1;
  const mayEndInS = !reply.includes('<s>');
  for (;;) {
    const before = end;
    end = trailingTokens(reply, 0, end).start;
    if (mayEndInS && reply.endsWith('</s>', end)) end -= '</s>'.length;
    while (end > 0 && trimText(reply[end - 1] ?? '') === '') end -= 1;
    if (end === before) return reply.slice(0, end);
  }
}

function withoutSpace(text: string): string {
  return trimText(text).replace(/\s/gu, '');
}
