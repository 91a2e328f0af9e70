import type { AgentSnapshot } from '../../machines/agent/agent.machine.ts';
import { stateOf } from '../../machines/agent/agent.view.ts';
import type { RunStatus, RunSummary } from './store/store.types.ts';

/** Every status there is. */
export const RUN_STATUSES = [
  'running',
  'waiting',
  'suspended',
  'done',
  'failed',
  'cancelled',
] as const satisfies readonly RunStatus[];

/** Whether a run of this status has ended: it cannot go on. */
export function hasEnded(status: RunStatus): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

/** Where a run stands for people: one that says `running` and that nobody drives was interrupted. */
export type ShownStatus = RunStatus | 'interrupted';

/** A run's status for people. */
export function shownStatus({
  status,
  drivenBy,
}: Pick<RunSummary, 'status' | 'drivenBy'>): ShownStatus {
  return status === 'running' && drivenBy === null ? 'interrupted' : status;
}

/** The status under which a run is listed. */
export function statusOf(snapshot: AgentSnapshot): RunStatus {
  const { rest } = snapshot.context;
  if (rest !== null) return rest.status;
  return stateOf(snapshot) === 'awaitPermission.asking' ? 'waiting' : 'running';
}
