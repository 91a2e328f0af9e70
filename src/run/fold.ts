import { type AnyActorScope, initialTransition, transition } from 'xstate';
import {
  AGENT_MACHINE_VERSION,
  type AgentSnapshot,
  agentMachine,
} from '../../machines/agent/agent.machine.ts';
import { inertScope } from '../../machines/agent/agent.scope.ts';
import type { PublicEvent } from '../../machines/agent/agent.types.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { LogRecord, StartRecord, StoreErrorCode } from './store/store.types.ts';

export type { AgentSnapshot };

/** One record and the run after it. Intents change nothing. */
export interface FoldStep {
  readonly record: LogRecord;
  readonly snapshot: AgentSnapshot;
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
 * Folds a log through the pure machine, a step per record. Reads nothing else and starts nothing.
 * @throws AgentHubError `version_mismatch` for the log of another version of the machine,
 * `log_corrupt` for one that is none.
 */
export function* foldSteps(log: readonly LogRecord[]): Generator<FoldStep> {
  const start = startOf(log);
  checkVersion(start);
  let [snapshot] = initialTransition(agentMachine, start.input);
  const scope = inertScope();
  for (const record of log) {
    snapshot = foldRecord(snapshot, record, scope);
    yield { record, snapshot };
  }
}

function foldRecord(
  snapshot: AgentSnapshot,
  record: LogRecord,
  scope: AnyActorScope,
): AgentSnapshot {
  if (record.kind !== 'event') return snapshot;
  let why = '';
  try {
    const next = agentMachine.transition(snapshot, record.event as never, scope);
    if ((next.status as string) !== 'error') return next;
    why = String(next.error);
  } catch (thrown) {
    why = String(thrown);
  }
  const { runId } = snapshot.context;
  throw new AgentHubError<StoreErrorCode>(
    'log_corrupt',
    `Record ${record.seq} of run ${runId} cannot be folded: ${why}. Other runs are not touched.`,
    { runId, seq: record.seq },
  );
}

/** The run after a whole log. */
export function foldLog(log: readonly LogRecord[]): AgentSnapshot {
  let last: AgentSnapshot | null = null;
  for (const { snapshot } of foldSteps(log)) last = snapshot;
  if (last === null) throw new AgentHubError<StoreErrorCode>('log_corrupt', 'The log is empty.');
  return last;
}

/** The last record after which something held of a run; 0 where it never did. */
export function lastSeqWhere(
  log: readonly LogRecord[],
  holds: (snapshot: AgentSnapshot) => boolean,
): number {
  let last = 0;
  for (const { record, snapshot } of foldSteps(log)) if (holds(snapshot)) last = record.seq;
  return last;
}

/** A run after an event that its chart takes now. */
export function foldEvent(snapshot: AgentSnapshot, event: PublicEvent): AgentSnapshot {
  const [next] = transition(agentMachine, snapshot, event);
  return next;
}
