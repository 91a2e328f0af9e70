import type { Locale } from '../../machines/vocabulary/json.ts';
import type { TodoItem } from '../../machines/vocabulary/todos.ts';
import type { ModelStep, Step } from '../run/run.types.ts';
import { printableLine } from './io.ts';
import { say, sayApprovals, sayOutcome } from './texts.ts';

/** How lines are written. */
export interface LineStyle {
  readonly locale: Locale;
  /** Whether durations are told; left out where output must be the same each time. */
  readonly times: boolean;
  readonly width: number;
}

/** One finished step as one line, or null for steps that say nothing new. */
export function stepLine(step: Step, style: LineStyle): string | null {
  const { locale, width } = style;
  const line = (kind: string, ...parts: readonly (string | null)[]) =>
    printableLine(`${kind.padEnd(6)} ${parts.filter(Boolean).join(' · ')}`, width);
  const took = style.times ? duration((step.endedAt ?? step.startedAt) - step.startedAt) : null;

  switch (step.kind) {
    case 'model': {
      const failure = step.error && `${step.error.code}: ${step.error.message}`;
      const calls = step.calls > 0 ? `${step.calls} ${say(locale, 'calls')}` : null;
      return line('model', step.model, failure ?? calls, tokens(step, locale), took);
    }
    case 'hook': {
      const why = step.error && step.error.message;
      return line('hook', `${step.event} ${step.hook}`, step.verdict, why, took);
    }
    case 'decision': {
      if (step.action !== 'deny') return null;
      const reasons = step.reasons.map((reason) => reason[locale]).join('; ');
      return line('deny', step.tool, reasons);
    }
    case 'person': {
      const answer = step.answer === 'open' ? null : say(locale, step.answer);
      return line('person', step.tool, answer, sayApprovals(locale, step.approvals), step.by);
    }
    case 'tool': {
      const input = printableLine(JSON.stringify(step.input), 100);
      return line('tool', `${step.tool} ${input}`, sayOutcome(locale, step.outcome), took);
    }
  }
}

/** The to-do list, one line per item; a claim without proof looks different from a proven one. */
export function todoLines(todos: readonly TodoItem[], { locale, width }: LineStyle): string[] {
  if (todos.length === 0) return [];
  const done = todos.filter(({ status }) => status === 'completed').length;
  const marks = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;
  return [
    `${say(locale, 'todos')} ${done}/${todos.length}`,
    ...todos.map(({ content, status, verified }) => {
      const claim = status === 'completed' && !verified ? ` (${say(locale, 'unverified')})` : '';
      return printableLine(`  ${marks[status]} ${content}${claim}`, width);
    }),
  ];
}

/** Tokens in and out, such as `1.2k→88 tok`; unknown is said, never zero. */
export function tokens({ requests }: Pick<ModelStep, 'requests'>, locale: Locale): string {
  if (requests.some(({ usage }) => usage === null)) return say(locale, 'tokensUnknown');
  const sum = (part: 'inputTokens' | 'outputTokens') =>
    requests.reduce((total, { usage }) => total + (usage?.[part] ?? 0), 0);
  return `${short(sum('inputTokens'))}→${short(sum('outputTokens'))} ${say(locale, 'tokens')}`;
}

function short(count: number): string {
  return count < 1_000 ? String(count) : `${(count / 1_000).toFixed(1)}k`;
}

export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
