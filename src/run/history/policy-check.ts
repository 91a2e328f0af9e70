import { decide } from '../../../machines/agent/agent.calls.ts';
import type { Decision } from '../../../machines/permission/evaluate.ts';
import type { Policies } from '../../../machines/permission/policies.ts';
import { type AgentSnapshot, foldSteps } from '../fold.ts';
import type { LogRecord } from '../store/store.types.ts';
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

/** The decisions of a log that other policies would change; how many there were, about which tools. */
export function checkPolicies(
  log: readonly LogRecord[],
  policies: Policies,
): {
  readonly decisions: number;
  readonly flips: readonly Flip[];
  readonly tools: ReadonlySet<string>;
} {
  const flips: Flip[] = [];
  const tools = new Set<string>();
  let decisions = 0;
  let before: AgentSnapshot | null = null;
  for (const { record, snapshot } of foldSteps(log)) {
    for (const { call, decision } of before === null ? [] : decisionsOf(record, before)) {
      decisions += 1;
      tools.add(call.tool);
      const after = decide(call, policies);
      if (after.action === decision.action) continue;
      const { runId } = snapshot.context;
      const part = { runId, callId: call.id, tool: call.tool, seq: record.seq };
      flips.push({ ...part, before: decision, after });
    }
    before = snapshot;
  }
  return { decisions, flips, tools };
}
