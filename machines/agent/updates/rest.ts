import { type ErrorData, toErrorData } from '../../vocabulary/errors.ts';
import { readFailedRequests, UNTOLD_REQUEST } from '../agent.answers.ts';
import { close, settle } from '../agent.calls.ts';
import { reachedLimit } from '../agent.guards.ts';
import type { PortOutputs } from '../agent.ports.ts';
import type { AgentContext, Limits, SuspensionReason } from '../agent.types.ts';
import { NO_REPEATS } from '../repeats.ts';
import { writeObservations } from './results.ts';
import { addUsage, type Update, wait, wordsOf } from './shared.ts';

// stopHook

/** A Stop hook keeps the run going; its reason goes to the model. */
export function blockStop(
  { messages, counters }: AgentContext,
  { reasons }: PortOutputs['stop'],
): Update {
  return {
    messages: messages.concat({ role: 'stop_block', reasons }),
    counters: { ...counters, stopBlocks: counters.stopBlocks + 1 },
  };
}

export function suspend(
  context: AgentContext,
  reason: SuspensionReason,
  error: ErrorData | null = null,
): Update {
  return { rest: { status: 'suspended', reason, error, partialAnswer: partialAnswer(context) } };
}

/** A Stop hook did not answer properly: an infrastructure fault, not fed to the model. */
export function suspendWithoutVerdict(
  context: AgentContext,
  { reasons }: PortOutputs['stop'],
): Update {
  return suspend(context, 'hook_failed', { code: 'hook_failed', message: wordsOf(reasons) });
}

export function suspendAtLimit(context: AgentContext): Update {
  return suspend(context, reachedLimit(context) ?? 'limit.turns');
}

/** The last text the model wrote, never empty words of an engine. */
function partialAnswer({ answer, messages }: AgentContext): string {
  if (answer !== null) return answer;
  const texts = messages.flatMap((entry) =>
    entry.role === 'assistant' && entry.content !== '' ? [entry.content] : [],
  );
  return texts.at(-1) ?? '';
}

/** Raises limits, never below what they were, and starts the count of repeated calls anew. */
export function raiseLimits(
  { limits, clock }: AgentContext,
  event: { readonly limits: Partial<Limits>; readonly at: number },
): Update {
  return {
    limits: raised(limits, event.limits),
    repeats: NO_REPEATS,
    rest: null,
    clock: wait(clock, event.at),
  };
}

/** Limits after a raise: each the larger of the two; null means none. Unknown names are left out. */
function raised(limits: Limits, wanted: Partial<Limits>): Limits {
  const names = Object.keys(limits) as (keyof Limits)[];
  return Object.fromEntries(
    names.map((name) => {
      const now = limits[name];
      const next = wanted[name];
      if (next === undefined || now === null) return [name, now];
      return [name, next === null ? null : Math.max(now, next)];
    }),
  ) as unknown as Limits;
}

/**
 * Closes every open call; what runs may have taken effect. Then nothing is open any more. A
 * request under way counts with what the order says of it; where that does not say, one is taken to
 * be, at an unknown cost.
 */
export function cancelRun(context: AgentContext, order: unknown): Update {
  const isTold = Array.isArray((order as { requests?: unknown } | null)?.requests);
  const requests = isTold ? readFailedRequests(order) : [UNTOLD_REQUEST];
  const calls = context.calls.map((call) => {
    if (call.stage === 'settled') return call;
    if (call.stage === 'running')
      return settle(call, { outcome: 'cancelled', content: '', reasons: [], ms: 0 });
    return close(call, 'cancelled');
  });
  return {
    ...writeObservations({ ...context, calls }),
    ...(isModelAsked(context) ? { usage: addUsage(context.usage, requests) } : {}),
    deadline: null,
    reply: null,
    rest: { status: 'cancelled' },
  };
}

/** Whether a request is under way: its turn has begun and its reply is not there. */
function isModelAsked({ turn, counters, reply, messages, rest }: AgentContext): boolean {
  if (counters.turns === 0 || reply !== null || rest !== null) return false;
  return !messages.some((entry) => entry.role === 'assistant' && entry.turn === turn);
}

export function finish({ answer }: AgentContext): Update {
  return { rest: { status: 'done', answer: answer ?? '' } };
}

export function fail(thrown: unknown, code: string): Update {
  return { rest: { status: 'failed', error: toErrorData(thrown, code) } };
}
