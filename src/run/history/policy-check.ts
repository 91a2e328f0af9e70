import { decide } from '../../../machines/agent/agent.calls.ts';
import type { Decision } from '../../../machines/permission/evaluate.ts';
import type { Policies } from '../../../machines/permission/policies.ts';
import type { JsonObject } from '../../../machines/vocabulary/json.ts';
import { type AgentSnapshot, foldSteps } from '../fold.ts';
import type { LogRecord } from '../store/store.types.ts';

/** A decision that would come out otherwise. */
export interface Flip {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly seq: number;
  readonly before: Decision;
  readonly after: Decision;
}

/** The decisions of a log that other policies would change, and how many there were. */
export function checkPolicies(
  log: readonly LogRecord[],
  policies: Policies,
): { readonly decisions: number; readonly flips: readonly Flip[] } {
  const flips: Flip[] = [];
  let decisions = 0;
  let before: AgentSnapshot | null = null;
  for (const { record, snapshot } of foldSteps(log)) {
    if (before !== null && isInspection(record)) {
      const { runId, calls, policies: recorded } = before.context;
      const found = (record.event.output as JsonObject).facts as Record<
        string,
        { ok: boolean; facts: never }
      >;
      for (const call of calls) {
        const facts = Object.hasOwn(found, call.id) ? found[call.id] : undefined;
        if (call.stage !== 'live' || facts?.ok !== true) continue;
        decisions += 1;
        const inspected = { ...call, facts: facts.facts };
        const was = decide(inspected, recorded);
        const is = decide(inspected, policies);
        if (was.action === is.action) continue;
        const part = { runId, callId: call.id, tool: call.tool, seq: record.seq };
        flips.push({ ...part, before: was, after: is });
      }
    }
    before = snapshot;
  }
  return { decisions, flips };
}

function isInspection(record: LogRecord): record is Extract<LogRecord, { kind: 'event' }> {
  return record.kind === 'event' && record.event.type === 'xstate.done.actor.inspectFacts';
}
