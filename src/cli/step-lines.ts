import type { Locale } from '../../machines/vocabulary/json.ts';
import { printableLine } from '../../machines/vocabulary/printable.ts';
import type { TodoItem } from '../../machines/vocabulary/todos.ts';
import type { ModelStep, PersonStep, Step } from '../run/run.types.ts';
import { sayError } from './error-texts.ts';
import { type Label, say, sayApprovals, sayBy, sayLabel, sayOutcome } from './texts.ts';
import { cutToWidth, padToWidth, textWidth, wrapToWidth } from './width.ts';

/** How lines are written. */
export interface LineStyle {
  readonly locale: Locale;
  /** Whether durations are told; left out where output must be the same each time. */
  readonly times: boolean;
  /** Columns a line may have, or null where there is no screen: one step is then one line. */
  readonly width: number | null;
}

/** How a line is to be taken, for its colour. */
export type Tone = 'plain' | 'quiet' | 'good' | 'bad';

export interface StepText {
  readonly text: string;
  readonly tone: Tone;
}

/** The answer of a command line without a person; see `PersonStep.by`. */
export const COMMAND_LINE = 'command line';

/** Columns of the label in front of a line. */
const LABEL = 7;

/** Columns of a tool's input where there is no screen. */
const LONGEST_INPUT = 160;

/** A finished step in words, or null for one that says nothing new. */
export function stepText(step: Step, style: LineStyle): StepText | null {
  const { locale } = style;
  const took = style.times ? duration((step.endedAt ?? step.startedAt) - step.startedAt) : '';
  switch (step.kind) {
    case 'model': {
      if (step.error !== null) {
        const why = `${step.error.code}: ${sayError(step.error, locale)}`;
        return { tone: 'bad', text: whole('model', [step.model, why, took], style) };
      }
      if (step.status === 'cancelled') {
        const parts = [sayOutcome(locale, 'cancelled'), took];
        return { tone: 'bad', text: cut('model', step.model, parts, style) };
      }
      const parts = [sayCalls(step.calls, locale), sayTokens(tokensOf([step])), took];
      return { tone: 'quiet', text: cut('model', step.model, parts, style) };
    }
    case 'hook': {
      const why = step.error?.message ?? '';
      const name = `${step.event} ${step.hook}`;
      const isQuiet = why === '' && ['ok', 'allow', 'proceed'].includes(step.verdict);
      if (isQuiet) return { tone: 'quiet', text: cut('hook', name, [step.verdict, took], style) };
      return { tone: 'bad', text: whole('hook', [name, step.verdict, why, took], style) };
    }
    case 'decision': {
      if (step.action !== 'deny') return null;
      const reasons = step.reasons.map((reason) => reason[locale]).join('; ');
      const how = step.outcome === null ? '' : sayOutcome(locale, step.outcome);
      return { tone: 'bad', text: whole('deny', [step.tool, reasons || how], style) };
    }
    case 'person':
      return personText(step, style);
    case 'tool': {
      const input = `${step.tool} ${JSON.stringify(step.input)}`;
      const parts = [sayOutcome(locale, step.outcome), took];
      const text = cut('tool', input, parts, style);
      if (step.outcome === 'ok') return { tone: 'plain', text };
      const [first = ''] = step.content.split('\n');
      const why = whole('', [first], style);
      return { tone: 'bad', text: first === '' ? text : `${text}\n${why}` };
    }
  }
}

/** The question a run began to ask. */
export function questionText({ tool, reasons }: PersonStep, style: LineStyle): string {
  return whole('ask', [tool, reasons.map((reason) => reason[style.locale]).join('; ')], style);
}

function personText(step: PersonStep, style: LineStyle): StepText | null {
  const { locale } = style;
  const { tool, answer, by } = step;
  if (answer === 'open') return null;
  if (answer === 'granted') {
    const parts = [
      tool,
      sayApprovals(locale, step.approvals),
      by && say(locale, 'by', { by: sayBy(locale, by) }),
    ];
    return { tone: 'good', text: whole('allow', parts, style) };
  }
  if (answer === 'denied' && by === COMMAND_LINE)
    return { tone: 'bad', text: whole('deny', [tool, say(locale, 'nobody')], style) };
  const how =
    answer === 'denied'
      ? by && say(locale, 'by', { by: sayBy(locale, by) })
      : sayOutcome(locale, answer);
  const parts = [tool, how];
  return { tone: 'bad', text: whole('deny', parts, style) };
}

/** The to-do list, one line per item; a claim without proof looks different from a proven one. */
export function todoLines(todos: readonly TodoItem[], { locale, width }: LineStyle): string[] {
  if (todos.length === 0) return [];
  const done = todos.filter(({ status }) => status === 'completed').length;
  const lines = todos.map(({ content, status, verified }) => {
    const isClaim = status === 'completed' && !verified;
    const mark = { pending: '[ ]', in_progress: '[>]', completed: isClaim ? '[?]' : '[x]' }[status];
    const claim = isClaim ? ` (${say(locale, 'unverified')})` : '';
    const room = (width ?? 240) - textWidth(claim);
    return `${cutToWidth(`  ${mark} ${printableLine(content)}`, room)}${claim}`;
  });
  return [`${say(locale, 'todos')} ${done}/${todos.length}`, ...lines];
}

/** Tokens of requests; null as soon as one was not reported. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

export function tokensOf(steps: readonly Pick<ModelStep, 'requests'>[]): Tokens | null {
  let [input, output] = [0, 0];
  for (const { usage } of steps.flatMap(({ requests }) => requests)) {
    if (usage === null) return null;
    input += usage.inputTokens;
    output += usage.outputTokens;
  }
  return { input, output };
}

/** Tokens in and out, such as `1.2k→88 tok`; unknown is said, never zero. */
export function sayTokens(tokens: Tokens | null): string {
  return tokens === null ? '? tok' : `${short(tokens.input)}→${short(tokens.output)} tok`;
}

function sayCalls(count: number, locale: Locale): string {
  if (count === 0) return '';
  return count === 1 ? say(locale, 'oneCall') : say(locale, 'calls', { count });
}

function short(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_950) return `${(count / 1_000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** Milliseconds in words, such as `88ms`, `3.4s` or `2m05s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}

type Parts = readonly (string | null)[];

function labelled(label: Label | '', { locale }: LineStyle): string {
  return padToWidth(label === '' ? '' : sayLabel(locale, label), LABEL);
}

function joined(parts: Parts): string {
  return parts
    .filter((part) => part !== null && part !== '')
    .map((part) => printableLine(part ?? ''))
    .join(' · ');
}

/** A line nothing of which may be missing: on a screen it goes on below. */
function whole(label: Label | '', parts: Parts, style: LineStyle): string {
  const line = `${labelled(label, style)}${joined(parts)}`;
  if (style.width === null) return line;
  return wrapToWidth(line, style.width, ' '.repeat(LABEL)).join('\n');
}

/** A line whose first part is cut so that the others fit. */
function cut(label: Label, first: string, parts: Parts, style: LineStyle): string {
  const others = joined(parts);
  const end = others === '' ? '' : ` · ${others}`;
  const width = style.width ?? LABEL + LONGEST_INPUT + textWidth(end);
  const room = width - LABEL - textWidth(end);
  if (room < 6) return whole(label, [cutToWidth(printableLine(first), 12), ...parts], style);
  return `${labelled(label, style)}${cutToWidth(printableLine(first), room)}${end}`;
}
