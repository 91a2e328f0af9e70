import { decide } from '../../../machines/agent/agent.calls.ts';
import type { Decision } from '../../../machines/permission/evaluate.ts';
import type { Policies } from '../../../machines/permission/policies.ts';
import type { LogReader } from '../fold.ts';
import { decisionsOf } from './calls.ts';

/** A decision that would come out otherwise. */
export interface Flip {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly seq: number;
  readonly before: Decision;
  readonly after: Decision;
}

/** The decisions that other policies would change; how many there were, about which tools. */
export interface CheckedPolicies {
  readonly decisions: number;
  readonly flips: readonly Flip[];
  readonly tools: ReadonlySet<string>;
}

/** Tells which decisions of a log other policies would change. */
export function readFlips(policies: Policies): LogReader<CheckedPolicies> {
  const flips: Flip[] = [];
  const tools = new Set<string>();
  let decisions = 0;
  return {
    see: (step) => {
      for (const { call, decision } of decisionsOf(step)) {
        decisions += 1;
        tools.add(call.tool);
        const after = decide(call, policies);
        if (after.action === decision.action) continue;
        const { runId } = step.snapshot.context;
        const part = { runId, callId: call.id, tool: call.tool, seq: step.record.seq };
        flips.push({ ...part, before: decision, after });
      }
    },
    told: () => ({ decisions, flips, tools }),
  };
}
