import type { Limits } from '../../machines/agent/agent.types.ts';
import type { HookSelector } from '../../machines/agent/matcher.ts';
import type { Policies } from '../../machines/permission/policies.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { canonicalJson } from '../../machines/vocabulary/json.ts';
import { type AgentSnapshot, foldThrough, readLastSeq, startOf } from './fold.ts';
import { lowerLimits } from './limits.ts';
import type {
  InboxEntry,
  Lease,
  LeaseRequest,
  LimitsRecord,
  LogRecord,
  RunStore,
} from './store/store.types.ts';

/** What a run is restored from, and under which rules. */
export interface RestoreOptions {
  readonly store: RunStore;
  readonly request: LeaseRequest;
  /** The agent's own, which the log's must equal. */
  readonly policies: Policies;
  readonly hooks: readonly HookSelector[];
  /** The tools that the agent has. */
  readonly tools: Pick<ReadonlySet<string>, 'has'>;
  /** Told as soon as the lease is held: whoever held it before drives no more. */
  readonly onLease: (lease: Lease) => void;
  /** The agent's own; an imported run is taken up under these where its own are higher. */
  readonly limits: Limits;
  readonly now: () => number;
}

/** A run as its log left it, under a lease. */
export interface RestoredLog {
  readonly lease: Lease;
  readonly log: readonly LogRecord[];
  readonly snapshot: AgentSnapshot;
  /** Answers that wait for it. */
  readonly waiting: readonly InboxEntry[];
}

/**
 * Takes a run's lease and folds its log. The checks come before anything is written, and a lease
 * that is of no use is given back.
 * @throws AgentHubError see `Agent.restore`.
 */
export async function restoreLog(runId: string, options: RestoreOptions): Promise<RestoredLog> {
  const { store, request } = options;
  const lease = await store.acquire(runId, request);
  options.onLease(lease);
  try {
    const log = await store.read(runId);
    const beforeCalls = readLastSeq(({ context }) => !hasOpenCalls(context));
    const snapshot = await foldThrough(log, beforeCalls);
    checkSame(log, options);
    checkTools(snapshot, options.tools);
    checkImported(log, snapshot, beforeCalls.told());
    if (snapshot.status !== 'active')
      throw new AgentHubError('run_ended', `Run ${runId} has ended; it cannot go on.`, { runId });
    const bound = await boundByOwnLimits({ lease, log, snapshot }, options);
    return { ...bound, waiting: await store.pending(runId) };
  } catch (thrown) {
    // A store that cannot take the lease back says less than what was wrong; the lease lapses.
    await store.release(lease).catch(() => {});
    throw thrown;
  }
}

/** A run goes on under the rules it began with, or not at all: a gate must not go missing. */
function checkSame(log: readonly LogRecord[], { policies, hooks }: RestoreOptions): void {
  const { runId, ...recorded } = startOf(log).input;
  const otherPolicies = differingPolicies(recorded.policies, policies);
  if (otherPolicies.length > 0)
    throw new AgentHubError(
      'policies_changed',
      `Run ${runId} began under other permission policies than this agent has, for: ${otherPolicies.join(', ')}. Nothing was written. Start the agent with the recorded policies, or fork the run.`,
      { runId, policies: otherPolicies },
    );
  const otherHooks = differingHooks(recorded.hooks, hooks);
  if (otherHooks.length > 0)
    throw new AgentHubError(
      'hooks_changed',
      `Run ${runId} began with other hooks than this agent has. Missing, added, changed or in another order: ${otherHooks.join(', ')}. Nothing was written. Register the recorded hooks, or fork the run.`,
      { runId, hooks: otherHooks },
    );
}

/** The tools whose policy is not the same in both. */
function differingPolicies(recorded: Policies, own: Policies): readonly string[] {
  const tools = [...new Set([...Object.keys(recorded), ...Object.keys(own)])];
  const textIn = (policies: Policies, tool: string) =>
    Object.hasOwn(policies, tool) ? canonicalJson(policies[tool]) : null;
  return tools.filter((tool) => textIn(recorded, tool) !== textIn(own, tool));
}

/** The names of hooks that are not alike in both; of those that stand elsewhere when all are. */
function differingHooks(
  recorded: readonly HookSelector[],
  own: readonly HookSelector[],
): readonly string[] {
  const [before, now] = [recorded.map(canonicalJson), own.map(canonicalJson)];
  const changed = [
    ...recorded.filter((_, index) => !now.includes(before[index] as string)),
    ...own.filter((_, index) => !before.includes(now[index] as string)),
  ];
  const longer = recorded.length > own.length ? recorded : own;
  const elsewhere = longer.filter((_, index) => before[index] !== now[index]);
  return [...new Set((changed.length > 0 ? changed : elsewhere).map(({ name }) => name))];
}

/** A call that was looked at before must find its tool: an approval must not run into nothing. */
function checkTools({ context }: AgentSnapshot, tools: RestoreOptions['tools']): void {
  const { runId } = context;
  const missing = context.calls.filter(
    ({ tool, stage, starts, facts, grants }) =>
      stage !== 'settled' &&
      (stage === 'asked' || starts > 0 || facts !== null || grants.length > 0) &&
      !tools.has(tool),
  );
  if (missing.length === 0) return;
  const wanted = [...new Set(missing.map(({ tool }) => tool))].join(', ');
  throw new AgentHubError(
    'tools_changed',
    `Run ${runId} has open calls of tools that this agent has not: ${wanted}. Nothing was written. Give the agent these tools.`,
    { runId, tools: wanted },
  );
}

/** Verdicts, facts and approvals in a file are its writer's word: they let nothing start here. */
function checkImported(
  log: readonly LogRecord[],
  { context }: AgentSnapshot,
  seqBefore: number,
): void {
  if (startOf(log).imported !== true || !hasOpenCalls(context)) return;
  const { runId } = context;
  throw new AgentHubError(
    'imported_calls',
    `Run ${runId} was imported with open calls, which were decided about elsewhere. Nothing was written. Fork it at record ${seqBefore}, before these calls; or import it as trusted if the file is your own.`,
    { runId, seq: seqBefore },
  );
}

/**
 * The limits in a file are its writer's word too. Whoever takes the run up first writes down its
 * own: the lower ones count from there on, until a person raises them.
 */
async function boundByOwnLimits(
  { lease, log, snapshot }: Omit<RestoredLog, 'waiting'>,
  { store, limits, now }: RestoreOptions,
): Promise<Omit<RestoredLog, 'waiting'>> {
  const { imported, importedRecords = 1 } = startOf(log);
  const isBound = log.some(({ kind, seq }) => kind === 'limits' && seq >= importedRecords);
  if (imported !== true || isBound) return { lease, log, snapshot };
  const record: LimitsRecord = { seq: log.length, at: now(), kind: 'limits', limits };
  await store.append(lease, [record], { durable: false });
  return { lease, log: [...log, record], snapshot: lowerLimits(snapshot, limits) };
}

function hasOpenCalls({ calls }: AgentSnapshot['context']): boolean {
  return calls.some(({ stage }) => stage !== 'settled');
}
