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

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Reads a reply written as Thought / Action / Action Input / Final Answer. Total, and linear in
 * the text. `toolNames` are names that count even if they read like "none".
 */
export function parseReactText(
  reply: string,
  toolNames: ReadonlySet<string> = NO_NAMES,
): ReactReading {
  return parse(withoutEndTokens(reply), toolNames, true);
}

function parse(text: string, toolNames: ReadonlySet<string>, mayUnwrap: boolean): ReactReading {
  const isTool = (value: string) => {
    const name = readToolName(value);
    return toolNames.has(name) || (!isNoTool(name) && labelNamed(name) !== 'final');
  };
  const scan = scanReact(text, { oneLine: false, isTool });
  if (scan.open !== null || isActionable(scan)) return resolve(text, scan, isTool);
  const inOneLine = scanReact(text, { oneLine: true, isTool });
  if (isActionable(inOneLine)) return resolve(text, inOneLine, isTool);
  return (mayUnwrap ? parseFences(text, scan, toolNames) : null) ?? resolve(text, scan, isTool);
}

/** The step inside a fence, when nothing outside of fences is one. */
function parseFences(
  text: string,
  { fences, end }: Scan,
  toolNames: ReadonlySet<string>,
): ReactReading | null {
  const readings: ReactReading[] = [];
  for (const { contentStart, contentEnd } of fences) {
    const reading = parse(text.slice(contentStart, contentEnd), toolNames, false);
    const isStep = reading.kind !== 'error' || !WITHOUT_STEP.has(reading.code);
    if (isStep) readings.push({ ...reading, end });
  }
  const [first, second] = readings;
  if (first === undefined || second === undefined) return first ?? null;
  const hasFinal = readings.some(({ kind }) => kind === 'final');
  return { kind: 'error', code: hasFinal ? 'both_action_and_final' : 'multiple_actions', end };
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

function resolve(text: string, scan: Scan, isTool: (value: string) => boolean): ReactReading {
  const { end } = scan;
  const error = (code: ReactCode): ReactReading => ({ kind: 'error', code, end });
  if (scan.open !== null) return error('truncated');
  const textOf = (section: Section, until = section.end) =>
    textWithout(text, { start: section.valueStart, end: until }, scan.holes);
  const { action, input, final, actions, inputs, isBoth } = collect(scan.sections, (section) => {
    const value = textOf(section);
    return isTool(value) ? 'tool' : labelNamed(readToolName(value)) === 'final' ? 'final' : 'none';
  });
  if (isBoth) return error('both_action_and_final');
  if (final !== null) {
    const answer = readAnswer(textOf(final, end), final.emphasis);
    return answer === '' ? error('empty') : { kind: 'final', answer, end };
  }
  if (actions > 1 || (actions === 1 && inputs > 1)) return error('multiple_actions');
  if (action !== null && input !== null) {
    const tool = readToolName(textOf(action));
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
