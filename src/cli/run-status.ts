import type { RunStatus, RunSummary } from '../run/store/store.types.ts';

/** Where a run stands for people: one that says `running` and that nobody drives was interrupted. */
export type ShownStatus = RunStatus | 'interrupted';

/** A run's status for people. */
export function shownStatus({
  status,
  drivenBy,
}: Pick<RunSummary, 'status' | 'drivenBy'>): ShownStatus {
  return status === 'running' && drivenBy === null ? 'interrupted' : status;
}
