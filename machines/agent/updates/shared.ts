import { type ContextNote } from '../../vocabulary/messages.ts';
import { type AgentContext, type Call } from '../agent.types.ts';

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
