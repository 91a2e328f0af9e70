import type { AnyTransitionDefinition, InspectionEvent } from 'xstate';
import { transitionsInOrder } from '../../../machines/agent/agent.graph.ts';
import { agentMachine } from '../../../machines/agent/agent.machine.ts';
import type { AgentContext } from '../../../machines/agent/agent.types.ts';
import { stateOf } from '../../../machines/agent/agent.view.ts';
import { breather } from '../../run/breather.ts';
import { type AgentSnapshot, type FoldStep, logFolder, readingRecord } from '../../run/fold.ts';
import type { LogRecord } from '../../run/store/store.types.ts';
import type { StepRow } from '../api.types.ts';
import { rowTeller } from './step-rows.ts';

/** A record, and the run after it. */
export interface FoldedStep {
  readonly record: LogRecord;
  readonly snapshot: AgentSnapshot;
  /** Such as `awaitPermission.asking`. */
  readonly state: string;
  readonly context: AgentContext;
  /** Transitions taken, in order, as indices of the chart's list. */
  readonly transitions: readonly number[];
  /** When the state before this record was entered; milliseconds since the epoch. */
  readonly enteredAt: number;
}

/** A step, and the one before it. */
export interface StepPair {
  readonly step: FoldedStep;
  readonly before: FoldedStep | null;
}

/** A log folded as it grows: each record once. */
export interface FoldedRun {
  /** A row per record. */
  readonly rows: readonly StepRow[];
  /** The run as it stands. */
  readonly last: FoldedStep | null;
  /** Folds further records, which follow those there are. */
  add(records: readonly LogRecord[]): Promise<void>;
  /** The run after record `index` and before it, folded anew; null where there is none. */
  at(index: number): StepPair | null;
}

/** Records from one kept snapshot to the next: all of them would be a history per record. */
const KEPT_EVERY = 100;

/**
 * Folds a log record by record and notes which transitions were taken: xstate tells those only to
 * inspectors (`_transitions` of `@xstate.microstep`, a private field; a test holds it).
 * @throws AgentHubError as `foldThrough` does.
 */
export function foldRun(): FoldedRun {
  const records: LogRecord[] = [];
  const rows: StepRow[] = [];
  const kept: StepPair[] = [];
  const fold = stepFolder();
  const tell = rowTeller();
  let last: FoldedStep | null = null;

  return {
    rows,
    get last() {
      return last;
    },
    async add(more) {
      const breathe = breather();
      for (const record of more) {
        const pair = fold(record);
        const { runId } = pair.step.context;
        rows.push(readingRecord(record, runId, () => tell(pair)));
        if (records.length % KEPT_EVERY === 0) kept.push(pair);
        records.push(record);
        last = pair.step;
        await breathe();
      }
    },
    at(index) {
      const nearest = kept[Math.floor(index / KEPT_EVERY)];
      if (nearest === undefined || index >= records.length) return null;
      const again = stepFolder(nearest);
      const from = nearest.step.record.seq + 1;
      return records.slice(from, index + 1).reduce((_, record) => again(record), nearest);
    },
  };
}

/** Folds records into steps, from the first on or from a step on. */
function stepFolder(from: StepPair | null = null): (record: LogRecord) => StepPair {
  let taken: AnyTransitionDefinition[] = [];
  const inspect = (event: InspectionEvent) => {
    if (event.type === '@xstate.microstep')
      taken.push(...(event._transitions as AnyTransitionDefinition[]));
  };
  const fold = logFolder({ inspect, ...(from && { from: from.step.snapshot }) });
  let latest = from;
  return (record) => {
    taken = [];
    const step = toStep(fold(record), { taken, latest });
    latest = { step, before: latest?.step ?? null };
    return latest;
  };
}

interface Circumstances {
  readonly taken: readonly AnyTransitionDefinition[];
  readonly latest: StepPair | null;
}

function toStep({ record, snapshot }: FoldStep, { taken, latest }: Circumstances): FoldedStep {
  return {
    record,
    snapshot,
    state: stateOf(snapshot),
    context: snapshot.context,
    transitions: taken.flatMap((transition) => numbers.get(transition) ?? []),
    enteredAt: latest === null ? record.at : enteredAfter(latest),
  };
}

/** When the state that a step led to was entered. */
function enteredAfter({ step, before }: StepPair): number {
  const isSame = before?.state === step.state && !step.transitions.some((one) => moves.has(one));
  return isSame ? step.enteredAt : step.record.at;
}

const inOrder = transitionsInOrder(agentMachine);
const numbers = new Map(inOrder.map((transition, index) => [transition, index]));

/** Transitions that leave their state or enter it anew. */
const moves = new Set(inOrder.flatMap(({ target }, index) => (target?.length ? [index] : [])));
