import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { AnswerResult } from '../run.types.ts';
import { checkOrder, isHeld, leaseLost, leaseOf, runDriven } from './store.rules.ts';
import type {
  InboxEntry,
  Lease,
  LeaseRequest,
  LogRecord,
  RunStatus,
  RunStore,
  RunSummary,
  StoreErrorCode,
} from './store.types.ts';

interface KeptRun {
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
  const runs = new Map<string, KeptRun>();
  const inbox: (InboxEntry & { result: AnswerResult | null; isGone: boolean })[] = [];

  const find = (runId: string): KeptRun => {
    const run = runs.get(runId);
    if (run === undefined) throw refusal('run_unknown', `There is no run ${runId}.`);
    return run;
  };
  const holder = (run: KeptRun): Lease | null =>
    run.lease !== null && isHeld(run.lease, now()) ? run.lease : null;
  const check = (lease: Lease): KeptRun => {
    const run = find(lease.runId);
    if (run.lease?.token !== lease.token) throw leaseLost(lease);
    return run;
  };
  const lend = (run: KeptRun, runId: string, { owner, ttl }: LeaseRequest): Lease => {
    run.token += 1;
    run.lease = leaseOf({ runId, owner, token: run.token }, { now: now(), ttl });
    return run.lease;
  };

  const summaryOf = (runId: string, run: KeptRun): RunSummary => {
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
  };

  return {
    name: 'memory',
    async create(start, request) {
      const { runId } = start.input;
      if (runs.has(runId)) throw refusal('run_exists', `There is a run ${runId} already.`);
      const run: KeptRun = {
        log: [frozen(start)],
        status: 'running',
        updatedAt: now(),
        lease: null,
        token: 0,
      };
      runs.set(runId, run);
      return lend(run, runId, request);
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
    async summary(runId) {
      return summaryOf(runId, find(runId));
    },
    async list({ status, search = '', limit = 100 } = {}) {
      const wanted = search.toLowerCase();
      return [...runs]
        .map(([runId, run]) => summaryOf(runId, run))
        .filter((run) => status === undefined || run.status === status)
        .filter(({ runId, prompt }) => `${runId}\n${prompt}`.toLowerCase().includes(wanted))
        .reverse()
        .slice(0, limit);
    },
    async remove(runId) {
      const held = holder(find(runId));
      if (held !== null) throw runDriven(held);
      runs.delete(runId);
      for (const entry of inbox) if (entry.runId === runId) entry.isGone = true;
    },
    async acquire(runId, request) {
      const run = find(runId);
      const held = holder(run);
      if (held !== null) throw runDriven(held);
      return lend(run, runId, request);
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
      inbox.push({
        ...{ id: inbox.length + 1, runId, event: frozen(event) },
        ...{ result: null, isGone: false },
      });
      return inbox.length;
    },
    async pending(runId) {
      return inbox
        .filter((entry) => entry.runId === runId && entry.result === null && !entry.isGone)
        .map(({ id, event }) => ({ id, runId, event }));
    },
    async resultOf(id) {
      const entry = inbox[id - 1];
      return entry === undefined || entry.isGone ? null : entry.result;
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
