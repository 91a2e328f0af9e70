import type { ContextNote } from '../../vocabulary/messages.ts';
import type { RequestRecord } from '../../vocabulary/model.ts';
import type { AgentContext, Call, UsageTotals } from '../agent.types.ts';

/** What an update gives back: the parts of the context that change. All updates are total. */
export type Update = Partial<AgentContext>;

export function updateLive(calls: readonly Call[], update: (call: Call) => Call): readonly Call[] {
  return calls.map((call) => (call.stage === 'live' ? update(call) : call));
}

export function updateCall(
  calls: readonly Call[],
  id: string,
  update: (call: Call) => Call,
): readonly Call[] {
  return calls.map((call) => (call.id === id && call.stage !== 'settled' ? update(call) : call));
}

export function wordsOf(notes: readonly ContextNote[]): string {
  return notes.map(({ source, text }) => `${source}: ${text}`).join('\n');
}

/** Time passed at work. Clocks that go back count nothing. */
export function work({ at, workedMs }: AgentContext['clock'], now: number): AgentContext['clock'] {
  return now > at ? { at: now, workedMs: workedMs + now - at } : { at, workedMs };
}

/** Time passed waiting for a person. */
export function wait({ at, workedMs }: AgentContext['clock'], now: number): AgentContext['clock'] {
  return { at: now > at ? now : at, workedMs };
}

/** Sums with further requests in them. */
export function addUsage(totals: UsageTotals, requests: readonly RequestRecord[]): UsageTotals {
  return requests.reduce(
    (sum, { usage, messages, characters }) => ({
      requests: sum.requests + 1,
      unreported: sum.unreported + (usage === null ? 1 : 0),
      inputTokens: sum.inputTokens + (usage?.inputTokens ?? 0),
      outputTokens: sum.outputTokens + (usage?.outputTokens ?? 0),
      messages: sum.messages + messages,
      characters: sum.characters + characters,
    }),
    totals,
  );
}
