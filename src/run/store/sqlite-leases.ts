import type { Connection } from './sqlite-connection.ts';
import { nextNumber } from './sqlite-logs.ts';
import { holderOf, type Row, read as textOf } from './sqlite-rows.ts';
import { isSame, leaseLost, leaseOf, runDriven } from './store.rules.ts';
import type { Lease, LeaseRequest } from './store.types.ts';

/** The leases of a database; each of these within a transaction. */
export interface SqliteLeases {
  /** Gives the lease of a run to whoever asks, under a token that no lease ever had. */
  lend(runId: string, request: LeaseRequest): Lease;
  /** Lets a lease last anew from now on, for `ttl` milliseconds. */
  extend(lease: Lease, ttl: number): Lease;
  /** Takes a lease back, if it is the one that was given last. */
  takeBack(lease: Lease): void;
  /** @throws AgentHubError `run_driven` while somebody holds the lease of a run, given its row. */
  checkUndriven(row: Row): void;
  /** @throws AgentHubError `lease_lost` where a run's row has another lease. */
  checkHeld(row: Row, lease: Lease): void;
}

/** Works on the lease columns of `runs`. `now` gives milliseconds since the epoch. */
export function sqliteLeases(database: Connection, now: () => number): SqliteLeases {
  const { run } = database;
  const keep = (lease: Lease): Lease => {
    run(
      'UPDATE runs SET lease_owner = ?, lease_token = ?, lease_renewed_at = ?, lease_expires_at = ? WHERE run_id = ?',
      lease.owner,
      lease.token,
      lease.renewedAt,
      lease.expiresAt,
      lease.runId,
    );
    return lease;
  };

  return {
    lend: (runId, { owner, ttl }) =>
      keep(leaseOf({ runId, owner, token: nextNumber(database) }, { now: now(), ttl })),
    extend: (lease, ttl) => keep(leaseOf(lease, { now: now(), ttl })),
    takeBack: ({ runId, owner, token }) => {
      run(
        'UPDATE runs SET lease_owner = NULL, lease_expires_at = NULL WHERE run_id = ? AND lease_token = ? AND lease_owner = ?',
        runId,
        token,
        owner,
      );
    },
    checkUndriven: (row) => {
      const held = holderOf(row, now());
      if (held !== null) throw runDriven(held);
    },
    checkHeld: (row, lease) => {
      if (row.lease_owner === null) throw leaseLost(lease);
      const given = { owner: textOf(row.lease_owner), token: Number(row.lease_token) };
      if (!isSame(given, lease)) throw leaseLost(lease);
    },
  };
}
