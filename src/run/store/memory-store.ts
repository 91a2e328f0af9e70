import { breather } from '../breather.ts';
import type { AnswerResult } from '../run.types.ts';
import {
  answerAtEnd,
  checkAnswerable,
  checkOrder,
  checkWhole,
  isHeld,
  isSame,
  leaseLost,
  leaseOf,
  runDriven,
  runExists,
  runUnknown,
} from './store.rules.ts';
import type {
  InboxEntry,
  Lease,
  LeaseRequest,
  LogRecord,
  RunStatus,
  RunStore,
  RunSummary,
} from './store.types.ts';

const NAME = 'memory';

interface KeptRun {
  readonly log: LogRecord[];
  status: RunStatus;
  updatedAt: number;
  lease: Lease | null;
}

/**
 * Runs in this process's memory: for tests, and for hosts that only want the inbox and the log.
 * Records are kept as text, as on disk, so that nobody can change one later.
 */
export function memoryStore({ now = Date.now }: { readonly now?: () => number } = {}): RunStore {
  const runs = new Map<string, KeptRun>();
  /** The highest token given so far, to any run: none is given twice. */
  let token = 0;
  const inbox: (InboxEntry & { result: AnswerResult | null; isGone: boolean })[] = [];

  const find = (runId: string): KeptRun => {
    const run = runs.get(runId);
    if (run === undefined) throw runUnknown(runId, NAME);
    return run;
  };
  const holder = (run: KeptRun): Lease | null =>
    run.lease !== null && isHeld(run.lease, now()) ? run.lease : null;
  const check = (lease: Lease): KeptRun => {
    const run = find(lease.runId);
    if (run.lease === null || !isSame(run.lease, lease)) throw leaseLost(lease);
    return run;
  };
  const lend = (run: KeptRun, runId: string, { owner, ttl }: LeaseRequest): Lease => {
    token += 1;
    run.lease = leaseOf({ runId, owner, token }, { now: now(), ttl });
    return run.lease;
  };

  const add = (runId: string, log: LogRecord[], status: RunStatus): KeptRun => {
    if (runs.has(runId)) throw runExists(runId, NAME);
    const run: KeptRun = { log, status, updatedAt: now(), lease: null };
    runs.set(runId, run);
    return run;
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
    name: NAME,
    async create(start, request) {
      const { runId } = start.input;
      return lend(add(runId, [frozen(start)], 'running'), runId, request);
    },
    async insert(log, status) {
      const { runId } = checkWhole(log).input;
      const kept: LogRecord[] = [];
      const breathe = breather();
      for (const record of log) {
        kept.push(frozen(record));
        await breathe();
      }
      add(runId, kept, status);
    },
    async append(lease, records, { status, settled = [] }) {
      const run = check(lease);
      checkOrder(records, run.log.length);
      run.log.push(...records.map(frozen));
      run.status = status ?? run.status;
      run.updatedAt = now();
      for (const { id, result } of settled) {
        const entry = inbox[id - 1];
        if (entry?.runId === lease.runId) entry.result ??= frozen(result);
      }
      const result = answerAtEnd(status);
      if (result === null) return;
      for (const entry of inbox) if (entry.runId === lease.runId) entry.result ??= result;
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
    async release(lease) {
      const run = runs.get(lease.runId);
      if (run?.lease && isSame(run.lease, lease)) run.lease = null;
    },
    async post(runId, event) {
      checkAnswerable(runId, find(runId).status);
      inbox.push({
        id: inbox.length + 1,
        runId,
        event: frozen(event),
        result: null,
        isGone: false,
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
