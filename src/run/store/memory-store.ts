import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { AnswerResult } from '../run.types.ts';
import type {
  InboxEntry,
  Lease,
  LogRecord,
  RunStatus,
  RunStore,
  RunSummary,
  StoreErrorCode,
} from './store.types.ts';

interface StoredRun {
  readonly log: LogRecord[];
  status: RunStatus;
  updatedAt: number;
  lease: Lease | null;
  /** The highest token given so far. */
  token: number;
}

/**
 * Runs in this process's memory: for tests, and for hosts that only want the inbox and the log.
 * Records are kept as text, as on disk, so that nobody can change one later.
 */
export function memoryStore({ now = Date.now }: { readonly now?: () => number } = {}): RunStore {
  const runs = new Map<string, StoredRun>();
  const inbox: (InboxEntry & { result: AnswerResult | null })[] = [];

  const find = (runId: string): StoredRun => {
    const run = runs.get(runId);
    if (run === undefined) throw refusal('run_unknown', `There is no run ${runId}.`);
    return run;
  };
  const holder = (run: StoredRun): Lease | null =>
    run.lease !== null && isHeld(run.lease, now()) ? run.lease : null;
  const check = (lease: Lease): StoredRun => {
    const run = find(lease.runId);
    if (run.lease?.token !== lease.token) throw leaseLost(lease);
    return run;
  };
  const lend = (runId: string, run: StoredRun, owner: string, ttl: number): Lease => {
    run.token += 1;
    run.lease = leaseOf({ runId, owner, token: run.token }, { now: now(), ttl });
    return run.lease;
  };

  return {
    name: 'memory',
    async create(start, { owner, ttl }) {
      const { runId } = start.input;
      if (runs.has(runId)) throw refusal('run_exists', `There is a run ${runId} already.`);
      const run: StoredRun = {
        log: [frozen(start)],
        status: 'running',
        updatedAt: now(),
        lease: null,
        token: 0,
      };
      runs.set(runId, run);
      return lend(runId, run, owner, ttl);
    },
    async append(lease, records, { status, settled = [] }) {
      const run = check(lease);
      checkOrder(records, run.log.length);
      run.log.push(...records.map(frozen));
      run.status = status ?? run.status;
      run.updatedAt = now();
      for (const { id, result } of settled) {
        const entry = inbox[id - 1];
        if (entry?.runId === lease.runId) entry.result = frozen(result);
      }
    },
    async read(runId, from = 0) {
      return find(runId).log.slice(from);
    },
    async list({ status, search = '', limit = 100 } = {}) {
      const wanted = search.toLowerCase();
      return [...runs]
        .map(([runId, run]): RunSummary => {
          const [start] = run.log;
          return {
            runId,
            createdAt: start?.at ?? 0,
            updatedAt: run.updatedAt,
            status: run.status,
            prompt: start?.kind === 'start' ? start.input.prompt : '',
            records: run.log.length,
            drivenBy: holder(run)?.owner ?? null,
          };
        })
        .filter((run) => status === undefined || run.status === status)
        .filter(({ runId, prompt }) => `${runId}\n${prompt}`.toLowerCase().includes(wanted))
        .reverse()
        .slice(0, limit);
    },
    async acquire(runId, { owner, ttl }) {
      const run = find(runId);
      const held = holder(run);
      if (held !== null) throw runDriven(held);
      return lend(runId, run, owner, ttl);
    },
    async renew(lease, ttl) {
      const run = check(lease);
      run.lease = leaseOf(lease, { now: now(), ttl });
      return run.lease;
    },
    async release({ runId, token }) {
      const run = runs.get(runId);
      if (run?.lease?.token === token) run.lease = null;
    },
    async post(runId, event) {
      find(runId);
      inbox.push({ id: inbox.length + 1, runId, event: frozen(event), result: null });
      return inbox.length;
    },
    async pending(runId) {
      return inbox
        .filter((entry) => entry.runId === runId && entry.result === null)
        .map(({ result: _, ...entry }) => entry);
    },
    async resultOf(id) {
      return inbox[id - 1]?.result ?? null;
    },
    async close() {},
  };
}

function frozen<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function refusal(code: StoreErrorCode, message: string): AgentHubError<StoreErrorCode> {
  return new AgentHubError(code, message);
}

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
