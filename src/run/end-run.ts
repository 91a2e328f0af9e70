import type { PublicEvent } from '../../machines/agent/agent.types.ts';
import type { JsonObject } from '../../machines/vocabulary/json.ts';
import { judgeAnswer } from './answers.ts';
import { foldEvent, foldThrough } from './fold.ts';
import { statusOf } from './run-status.ts';
import type { PostedAnswer } from './runs.types.ts';
import type { EventRecord, LeaseRequest, RunStore } from './store/store.types.ts';

type Cancel = Extract<PublicEvent, { type: 'run.cancel' }>;

/**
 * Cancels a run that nobody drives, in its log: nothing starts by that, so it needs no agent, and
 * it may be under any policies, hooks and tools. Answers that wait are refused: the run has ended.
 * @throws AgentHubError `run_driven` when somebody has taken the run up meanwhile.
 */
export async function endRun(
  store: RunStore,
  { runId, event, request }: { runId: string; event: Cancel; request: LeaseRequest },
): Promise<PostedAnswer> {
  const lease = await store.acquire(runId, request);
  try {
    const log = await store.read(runId);
    const snapshot = await foldThrough(log);
    const result = judgeAnswer(snapshot, event);
    if (!result.accepted) return { drivenBy: null, result };
    const record: EventRecord = {
      seq: log.length,
      at: event.at,
      kind: 'event',
      event: event as unknown as JsonObject & { readonly type: string },
    };
    // Somebody else who waits to cancel it has what they wanted; the store refuses the others.
    const settled = (await store.pending(runId))
      .filter(({ event: waiting }) => waiting.type === 'run.cancel')
      .map(({ id }) => ({ id, result }));
    const status = statusOf(foldEvent(snapshot, event));
    await store.append(lease, [record], { durable: true, status, settled });
    return { drivenBy: null, result };
  } finally {
    // A store that cannot take the lease back says less than what was wrong; the lease lapses.
    await store.release(lease).catch(() => {});
  }
}
