import type { Message } from '../../vocabulary/messages.ts';
import {
  type AgentContext,
  type AgentInput,
  type AgentOutput,
  DEFAULT_LIMITS,
} from '../agent.types.ts';
import { NO_REPEATS } from '../repeats.ts';

/**
 * The context a run starts with. Total even without an input: the chart's `context` factory is
 * called once with `undefined` by every pure `transition`.
 */
export function createContext(input: AgentInput | undefined): AgentContext {
  const history = input?.history ?? [];
  const prompt = input?.prompt ?? '';
  return {
    runId: input?.runId ?? '',
    locale: input?.locale ?? 'en',
    prompt,
    hooks: input?.hooks ?? [],
    policies: input?.policies ?? {},
    limits: { ...DEFAULT_LIMITS, ...input?.limits },
    messages: [...history, { role: 'user', content: prompt, context: [] }],
    clock: { at: input?.startedAt ?? 0, workedMs: 0 },
    turn: lastTurn(history),
    counters: { turns: 0, toolCalls: 0, repairs: 0, stopBlocks: 0 },
    repeats: NO_REPEATS,
    usage: {
      requests: 0,
      unreported: 0,
      inputTokens: 0,
      outputTokens: 0,
      messages: 0,
      characters: 0,
    },
    reply: null,
    calls: [],
    deadline: null,
    answer: null,
    faults: [],
    rest: null,
  };
}

function lastTurn(history: readonly Message[]): number {
  return history.reduce(
    (last, entry) => (entry.role === 'assistant' ? Math.max(last, entry.turn) : last),
    0,
  );
}

/** What a run gives at its end. */
export function outputOf({ runId, usage, messages, rest }: AgentContext): AgentOutput {
  const part = { runId, usage, messages };
  if (rest === null || rest.status === 'suspended') {
    const error = { code: 'no_outcome', message: 'The run ended without saying how.' };
    return { status: 'failed', error, ...part };
  }
  return { ...rest, ...part };
}
