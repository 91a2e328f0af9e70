import { type InspectionEvent, transition } from 'xstate';
import {
  AGENT_MACHINE_VERSION,
  type AgentSnapshot,
  agentMachine,
} from '../../machines/agent/agent.machine.ts';
import { inertScope } from '../../machines/agent/agent.scope.ts';
import type { PublicEvent } from '../../machines/agent/agent.types.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { breather } from './breather.ts';
import { lowerLimits } from './limits.ts';
import { wholeLimitsSchema } from './options.ts';
import type { LogRecord, StartRecord, StoreErrorCode } from './store/store.types.ts';

export type { AgentSnapshot };

/** One record, and the run before it (null at record 0) and after it. Intents change nothing. */
export interface FoldStep {
  readonly record: LogRecord;
  readonly before: AgentSnapshot | null;
  readonly snapshot: AgentSnapshot;
}

/** What is told of a log, gathered record by record while it is folded once. */
export interface LogReader<Told> {
  see(step: FoldStep): void;
  /** What it gathered of the records seen so far. */
  told(): Told;
}

/** The first record of a log; what folding it rests on. */
export function startOf(log: readonly LogRecord[]): StartRecord {
  const [start] = log;
  if (start?.kind === 'start') return start;
  throw new AgentHubError<StoreErrorCode>('log_corrupt', 'The log has no record 0 to start from.');
}

/** @throws AgentHubError `version_mismatch` for the log of another version of the machine. */
export function checkVersion(start: StartRecord): void {
  if (start.machineVersion !== AGENT_MACHINE_VERSION)
    throw new AgentHubError(
      'version_mismatch',
      `Run ${start.input.runId} was recorded by machine version ${start.machineVersion}; this is version ${AGENT_MACHINE_VERSION}. Nothing was written. Use that version of AgentHub, or start a new run from its prompt.`,
      { recorded: start.machineVersion, current: AGENT_MACHINE_VERSION },
    );
}

/**
 * Reads what a record says, which anybody may have written: what cannot be read is the log's fault.
 * @throws AgentHubError `log_corrupt` naming the record.
 */
export function readingRecord<Value>(record: LogRecord, runId: string, read: () => Value): Value {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof AgentHubError) throw thrown;
    throw new AgentHubError<StoreErrorCode>(
      'log_corrupt',
      `Record ${record.seq} of run ${runId} cannot be folded: ${String(thrown)}. Other runs are not touched.`,
      { runId, seq: record.seq },
    );
  }
}

/** Where a fold goes on from, and who is told of each microstep. */
export interface FolderOptions {
  /** The run after the records so far. Default: none were, the next is record 0. */
  readonly from?: AgentSnapshot;
  readonly inspect?: (event: InspectionEvent) => void;
}

/**
 * Folds the records of one log through the pure machine, each given in turn. Reads nothing else and
 * starts nothing.
 * @throws AgentHubError `version_mismatch` for the log of another version of the machine,
 * `log_corrupt` for a record that cannot be folded.
 */
export function logFolder({
  from,
  ...options
}: FolderOptions = {}): (record: LogRecord) => FoldStep {
  const scope = inertScope(options);
  let snapshot: AgentSnapshot | null = from ?? null;

  const first = (record: LogRecord): AgentSnapshot => {
    const start = startOf([record]);
    checkVersion(start);
    return agentMachine.getInitialSnapshot(scope as never, start.input as never);
  };
  const next = (before: AgentSnapshot, record: LogRecord): AgentSnapshot => {
    if (record.kind === 'limits')
      return lowerLimits(before, wholeLimitsSchema.parse(record.limits));
    if (record.kind !== 'event') return before;
    return agentMachine.transition(before, record.event as never, scope);
  };

  return (record) => {
    const before = snapshot;
    const after = readingRecord(record, before?.context.runId ?? '', () => {
      const found = before === null ? first(record) : next(before, record);
      if ((found.status as string) === 'error') throw found.error;
      return found;
    });
    snapshot = after;
    return { record, before, snapshot: after };
  };
}

/** Folds a log, a step per record. Whoever keeps all steps keeps a history per record. */
export function* foldSteps(log: readonly LogRecord[]): Generator<FoldStep> {
  startOf(log);
  const fold = logFolder();
  for (const record of log) yield fold(record);
}

/**
 * Folds a log once, for any number of readers, and gives the run after it. However long it is,
 * everything else has its turn meanwhile.
 * @throws AgentHubError as `logFolder` does; `log_corrupt` also for what a reader cannot tell.
 */
export async function foldThrough(
  log: readonly LogRecord[],
  ...readers: readonly Pick<LogReader<unknown>, 'see'>[]
): Promise<AgentSnapshot> {
  const { runId } = startOf(log).input;
  const breathe = breather();
  let last: AgentSnapshot | null = null;
  for (const step of foldSteps(log)) {
    for (const reader of readers) readingRecord(step.record, runId, () => reader.see(step));
    last = step.snapshot;
    await breathe();
  }
  return last as AgentSnapshot;
}

/** Notes the last record after which something held of a run; 0 where it never did. */
export function readLastSeq(holds: (snapshot: AgentSnapshot) => boolean): LogReader<number> {
  let last = 0;
  return {
    see: ({ record, snapshot }) => {
      if (holds(snapshot)) last = record.seq;
    },
    told: () => last,
  };
}

/** The run after a whole log, at once: for logs that are known to be short. */
export function foldLog(log: readonly LogRecord[]): AgentSnapshot {
  let last: AgentSnapshot | null = null;
  for (const { snapshot } of foldSteps(log)) last = snapshot;
  return last as unknown as AgentSnapshot;
}

/** A run after an event that its chart takes now. */
export function foldEvent(snapshot: AgentSnapshot, event: PublicEvent): AgentSnapshot {
  const [next] = transition(agentMachine, snapshot, event);
  return next;
}
