import { type AnyActorScope, createActor, initialTransition, type SnapshotFrom } from 'xstate';
import { AGENT_MACHINE_VERSION, agentMachine } from '../../machines/agent/agent.machine.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { LogRecord, StartRecord, StoreErrorCode } from './store/store.types.ts';

export type AgentSnapshot = SnapshotFrom<typeof agentMachine>;

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

/**
 * Folds a log through the pure machine, a step per record. Reads nothing else and starts nothing.
 * @throws AgentHubError `version_mismatch` for the log of another version of the machine,
 * `log_corrupt` for one that is none.
 */
export function* foldSteps(log: readonly LogRecord[]): Generator<FoldStep> {
  const start = startOf(log);
  if (start.machineVersion !== AGENT_MACHINE_VERSION)
    throw new AgentHubError(
      'version_mismatch',
      `Run ${start.input.runId} was recorded by machine version ${start.machineVersion}; this is version ${AGENT_MACHINE_VERSION}. Nothing was written. Use that version of AgentHub, or start a new run from its prompt.`,
      { recorded: start.machineVersion, current: AGENT_MACHINE_VERSION },
    );
  let [snapshot] = initialTransition(agentMachine, start.input);
  const scope = inertScope();
  for (const record of log) {
    snapshot = foldRecord(snapshot, record, scope);
    yield { record, snapshot };
  }
}

/**
 * Where transitions are worked out and nothing is done. The pure `transition` of xstate makes one
 * for every event, an actor included; one for a whole log halves the time of folding it.
 */
export function inertScope(): AnyActorScope {
  const self = createActor(agentMachine, { input: undefined as never });
  const nothing = () => {};
  return {
    self,
    system: self.system,
    id: '',
    sessionId: '',
    logger: nothing,
    defer: nothing,
    emit: nothing,
    stopChild: nothing,
    actionExecutor: nothing,
  };
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
