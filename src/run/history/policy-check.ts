import { decide } from '../../../machines/agent/agent.calls.ts';
import type { Decision } from '../../../machines/permission/evaluate.ts';
import type { Policies } from '../../../machines/permission/policies.ts';
import { type AgentSnapshot, foldSteps } from '../fold.ts';
import type { LogRecord, RunStore } from '../store/store.types.ts';
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

/** The decisions of a log that other policies would change, and how many there were. */
export function checkPolicies(
  log: readonly LogRecord[],
  policies: Policies,
): { readonly decisions: number; readonly flips: readonly Flip[] } {
  const flips: Flip[] = [];
  let decisions = 0;
  let before: AgentSnapshot | null = null;
  for (const { record, snapshot } of foldSteps(log)) {
    for (const { call, decision } of before === null ? [] : decisionsOf(record, before)) {
      decisions += 1;
      const after = decide(call, policies);
      if (after.action === decision.action) continue;
      const { runId } = snapshot.context;
      const part = { runId, callId: call.id, tool: call.tool, seq: record.seq };
      flips.push({ ...part, before: decision, after });
    }
    before = snapshot;
  }
  return { decisions, flips };
}

/** The tools that stored runs had decisions about, flipped or not; a run that cannot be read has none. */
export async function decidedTools(store: RunStore): Promise<ReadonlySet<string>> {
  const tools = new Set<string>();
  for (const { runId } of await store.list({ limit: 10_000 })) {
    try {
      let before: AgentSnapshot | null = null;
      for (const { record, snapshot } of foldSteps(await store.read(runId))) {
        for (const { call } of before === null ? [] : decisionsOf(record, before))
          tools.add(call.tool);
        before = snapshot;
      }
    } catch {
      // The check itself names the runs that cannot be read.
    }
  }
  return tools;
}
