import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { Lease, LogRecord, StoreErrorCode } from './store.types.ts';

// What every store keeps to: leases, and the order of records.

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

/** Records must follow the log without a gap. */
export function checkOrder(records: readonly LogRecord[], next: number): void {
  const wrong = records.find(({ seq }, index) => seq !== next + index);
  if (wrong === undefined) return;
  throw new AgentHubError<StoreErrorCode>(
    'log_corrupt',
    `Record ${wrong.seq} does not follow: the log goes on at ${next}. Nothing was written.`,
  );
}
