import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { refuse } from '../answers.ts';
import type { AnswerResult } from '../run.types.ts';
import { hasEnded } from '../run-status.ts';
import type { Lease, LogRecord, RunStatus, StartRecord, StoreErrorCode } from './store.types.ts';

// What every store keeps to: leases, the order of records, and answers to runs that have ended.

/** A lease from now on. */
export function leaseOf(
  { runId, owner, token }: Pick<Lease, 'runId' | 'owner' | 'token'>,
  { now, ttl }: { readonly now: number; readonly ttl: number },
): Lease {
  return { runId, owner, token, renewedAt: now, expiresAt: now + ttl };
}

/**
 * Whether a lease still holds. One that seems to last more than twice its time was given before
 * the clock went back: its driver has renewed it since, or is dead.
 */
export function isHeld({ renewedAt, expiresAt }: Lease, now: number): boolean {
  return expiresAt > now && expiresAt - now <= 2 * (expiresAt - renewedAt);
}

/** Whether a lease is the one that was given last. */
export function isSame(
  given: Pick<Lease, 'owner' | 'token'>,
  { owner, token }: Pick<Lease, 'owner' | 'token'>,
): boolean {
  return given.token === token && given.owner === owner;
}

/** Somebody else drives the run. */
export function runDriven({ runId, owner, expiresAt }: Lease): AgentHubError<StoreErrorCode> {
  return new AgentHubError(
    'run_driven',
    `Run ${runId} is driven by ${owner}. Answer it from here, or wait until that process is gone.`,
    { runId, owner, expiresAt },
  );
}

/** The lease is void: somebody else took the run over. */
export function leaseLost({ runId, owner }: Lease): AgentHubError<StoreErrorCode> {
  return new AgentHubError(
    'lease_lost',
    `${owner} no longer drives run ${runId}: its lease lapsed and the run was taken over. Nothing was written.`,
    { runId },
  );
}

/** There is one by that id already. */
export function runExists(runId: string, name: string): AgentHubError<StoreErrorCode> {
  return new AgentHubError('run_exists', `There is a run ${runId} already in ${name}.`, { runId });
}

/** There is none by that id. */
export function runUnknown(runId: string, name: string): AgentHubError<StoreErrorCode> {
  return new AgentHubError('run_unknown', `There is no run ${runId} in ${name}.`, { runId });
}

/** @throws AgentHubError `run_ended`: nobody would ever take an answer that was posted now. */
export function checkAnswerable(runId: string, status: RunStatus): void {
  if (!hasEnded(status)) return;
  throw new AgentHubError<StoreErrorCode>(
    'run_ended',
    `Run ${runId} has ended (${status}); it takes no answers.`,
    { runId, status },
  );
}

/** What becomes of the answers that wait when a run ends, or null while it goes on. */
export function answerAtEnd(status: RunStatus | undefined): AnswerResult | null {
  return status !== undefined && hasEnded(status) ? refuse('ended') : null;
}

/** @throws AgentHubError `log_corrupt` for a log that is not whole from its record 0 on. */
export function checkWhole(log: readonly LogRecord[]): StartRecord {
  checkOrder(log, 0);
  const [start] = log;
  if (start?.kind === 'start') return start;
  throw new AgentHubError<StoreErrorCode>('log_corrupt', 'The log has no record 0 to start from.');
}

/** Records must follow the log without a gap. */
export function checkOrder(records: readonly LogRecord[], next: number): void {
  const wrong = records.find(({ seq }, index) => seq !== next + index);
  if (wrong === undefined) return;
  throw new AgentHubError<StoreErrorCode>(
    'log_corrupt',
    `Record ${wrong.seq} does not follow: the log goes on at ${next}. Nothing was written.`,
  );
}
