import { readInspection } from '../../../machines/agent/agent.answers.ts';
import { decide } from '../../../machines/agent/agent.calls.ts';
import type { Call } from '../../../machines/agent/agent.types.ts';
import type { Decision } from '../../../machines/permission/evaluate.ts';
import type { Reason } from '../../../machines/permission/reasons.ts';
import type { Json } from '../../../machines/vocabulary/json.ts';
import type { Outcome } from '../../../machines/vocabulary/messages.ts';
import type { FoldStep, LogReader } from '../fold.ts';

const INSPECTED = 'xstate.done.actor.inspectFacts';

/** A call of a stored run, with every decision about it. */
export interface StoredCall {
  readonly callId: string;
  readonly tool: string;
  /** As it was last decided on. */
  readonly input: Json;
  readonly decisions: readonly (Decision & { readonly seq: number; readonly at: number })[];
  /** An outcome, or where the call waits. */
  readonly stands: Outcome | Call['stage'];
  /** Why it was refused, when it was; empty for a call that ran. */
  readonly reasons: readonly Reason[];
}

/** Tells the calls of a log, in the order they were asked for. */
export function readCalls(): LogReader<readonly StoredCall[]> {
  const found = new Map<string, StoredCall>();
  const put = (callId: string, change: Partial<StoredCall>) => {
    const empty = { callId, tool: '', input: null, decisions: [], reasons: [] };
    found.set(callId, {
      ...(found.get(callId) ?? { ...empty, stands: 'live' as const }),
      ...change,
    });
  };
  const see = (step: FoldStep) => {
    const { record, before, snapshot } = step;
    const known = before?.context.messages.length ?? snapshot.context.messages.length;
    for (const message of snapshot.context.messages.slice(known)) {
      if (message.role === 'assistant')
        for (const { id, tool, input } of message.calls) put(id, { tool, input });
      if (message.role === 'observation')
        put(message.callId, { stands: message.outcome, reasons: message.reasons });
    }
    for (const { call, decision } of decisionsOf(step)) {
      const { seq, at } = record;
      const decisions = [...(found.get(call.id)?.decisions ?? []), { ...decision, seq, at }];
      put(call.id, { input: call.input, decisions });
    }
    for (const { id, tool, input, stage, result } of snapshot.context.calls)
      put(id, { tool, input, stands: result?.outcome ?? stage, reasons: result?.reasons ?? [] });
  };
  return { see, told: () => [...found.values()] };
}

/** Calls that were decided on by a record, with the facts it told and what follows. */
export function decisionsOf({
  record,
  before,
}: FoldStep): readonly { readonly call: Call; readonly decision: Decision }[] {
  if (before === null || record.kind !== 'event' || record.event.type !== INSPECTED) return [];
  const { context } = before;
  const { facts } = readInspection(record.event.output);
  return context.calls.flatMap((call) => {
    const told = Object.hasOwn(facts, call.id) ? facts[call.id] : undefined;
    if (call.stage !== 'live' || told?.ok !== true) return [];
    const inspected = { ...call, facts: told.facts };
    return [{ call: inspected, decision: decide(inspected, context.policies) }];
  });
}
