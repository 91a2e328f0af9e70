import { toErrorData } from '../../vocabulary/errors.ts';
import type { ReadPostToolVerdicts } from '../agent.answers.ts';
import { hasRun, isSettled, observationOf, settle } from '../agent.calls.ts';
import { allowedCalls } from '../agent.guards.ts';
import type { AgentContext, Call, ToolOutput } from '../agent.types.ts';
import { countRepeat } from '../repeats.ts';
import { type Update, updateCall, work } from './shared.ts';

// execute

/** Marks as running what the evaluator allows. Its grants stay until it is known to have started. */
export function startCalls(context: AgentContext): Update {
  const allowed = new Set(allowedCalls(context));
  return {
    calls: context.calls.map((call) =>
      allowed.has(call) ? { ...call, stage: 'running', starts: call.starts + 1 } : call,
    ),
  };
}

/**
 * Takes a tool's result in. An `unknown` one makes its call live again: a person decides. So does a
 * start that did not come about: its grants are not spent, and it is decided on as things are now.
 */
export function recordResult(
  { calls, clock }: AgentContext,
  { callId, output }: { readonly callId: string; readonly output: ToolOutput },
): Update {
  const { outcome, content, ms, at } = output;
  return {
    clock: work(clock, at),
    calls: updateCall(calls, callId, (call) => {
      if (outcome === 'not_started') return setBack(call);
      if (outcome === 'unknown') return reopen(call);
      return settle(call, { outcome, content, reasons: [], ms });
    }),
  };
}

/** A start that did not come about: nothing ran, and nothing that was approved is spent. */
function setBack(call: Call): Call {
  return { ...call, stage: 'live', starts: call.starts - 1, setbacks: call.setbacks + 1 };
}

/** A start that left no result: what was approved is spent, and nothing is known any more. */
function reopen(call: Call): Call {
  const fresh = { facts: null, grants: [], setbacks: 0 } as const;
  return { ...call, ...fresh, stage: 'live', outcomeUnknown: true };
}

/** A tool's actor broke in a way its port did not turn into a result: an error like any other. */
export function recordCrash(
  { calls }: AgentContext,
  { callId, thrown }: { readonly callId: string; readonly thrown: unknown },
): Update {
  const { message } = toErrorData(thrown, 'tool_failed');
  const result = { outcome: 'error', content: message, reasons: [], ms: 0 } as const;
  return { calls: updateCall(calls, callId, (call) => settle(call, result)) };
}

// postToolHook

export function applyPostToolVerdicts(
  { calls, faults }: AgentContext,
  { verdicts, faults: unread }: ReadPostToolVerdicts,
): Update {
  const told = Object.values(verdicts).flatMap((verdict) => verdict.faults ?? []);
  const failures = [...unread, ...told];
  return {
    faults: [...faults, ...failures.map((error) => ({ state: 'postToolHook', error }))],
    calls: calls.map((call) => {
      const found = Object.hasOwn(verdicts, call.id) ? verdicts[call.id] : undefined;
      if (found === undefined || call.result === null || !hasRun(call)) return call;
      const result = { ...call.result, content: found.content ?? call.result.content };
      return { ...call, result, context: [...call.context, ...(found.context ?? [])] };
    }),
  };
}

/** The hooks' actor itself failed: recorded, and every result stays as it is. */
export function recordPostToolFault({ faults }: AgentContext, thrown: unknown): Update {
  return {
    faults: [...faults, { state: 'postToolHook', error: toErrorData(thrown, 'hook_failed') }],
  };
}

/** Closes the batch: one observation per call, in call order. */
export function writeObservations({ calls, messages, repeats }: AgentContext): Update {
  const settled = calls.filter(isSettled);
  return {
    messages: messages.concat(settled.map(observationOf)),
    repeats: settled.reduce(countRepeat, repeats),
    calls: [],
  };
}
