import type { AnyTransitionDefinition, InspectionEvent } from 'xstate';
import { transitionsInOrder } from '../../../machines/agent/agent.graph.ts';
import { agentMachine } from '../../../machines/agent/agent.machine.ts';
import { inertScope } from '../../../machines/agent/agent.scope.ts';
import type { AgentContext } from '../../../machines/agent/agent.types.ts';
import { stateOf } from '../../../machines/agent/agent.view.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { type AgentSnapshot, checkVersion, startOf } from '../../run/fold.ts';
import type { LogRecord } from '../../run/store/store.types.ts';

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

/** A log folded as it grows: each record once. */
export interface FoldedRun {
  readonly steps: readonly FoldedStep[];
  /** Folds further records, which follow those there are. */
  add(records: readonly LogRecord[]): void;
}

/**
 * Folds a log record by record and notes which transitions were taken: xstate tells those only to
 * inspectors (`_transitions` of `@xstate.microstep`, a private field; a test holds it).
 * @throws AgentHubError as `foldSteps` does.
 */
export function foldRun(): FoldedRun {
  const numbers = new Map(
    transitionsInOrder(agentMachine).map((transition, index) => [transition, index]),
  );
  const steps: FoldedStep[] = [];
  let taken: AnyTransitionDefinition[] = [];
  const inspect = (event: InspectionEvent) => {
    if (event.type === '@xstate.microstep')
      taken.push(...(event._transitions as AnyTransitionDefinition[]));
  };
  const scope = inertScope({ inspect });

  const first = (record: LogRecord): AgentSnapshot => {
    const { input } = startOf([record]);
    checkVersion(startOf([record]));
    taken = [];
    return agentMachine.getInitialSnapshot(scope as never, input as never) as AgentSnapshot;
  };
  const next = (before: AgentSnapshot, record: LogRecord): AgentSnapshot => {
    if (record.kind !== 'event') return before;
    try {
      const after = agentMachine.transition(
        before as never,
        record.event as never,
        scope as never,
      ) as AgentSnapshot;
      if ((after.status as string) !== 'error') return after;
      throw after.error;
    } catch (thrown) {
      throw new AgentHubError(
        'log_corrupt',
        `Record ${record.seq} of run ${before.context.runId} cannot be folded: ${String(thrown)}.`,
        { seq: record.seq },
      );
    }
  };

  return {
    steps,
    add(records) {
      for (const record of records) {
        taken = [];
        const last = steps.at(-1);
        const snapshot = last === undefined ? first(record) : next(last.snapshot, record);
        const transitions = taken.flatMap((transition) => numbers.get(transition) ?? []);
        steps.push({
          record,
          snapshot,
          state: stateOf(snapshot),
          context: snapshot.context,
          transitions,
          enteredAt: last === undefined ? record.at : enteredAfter(last),
        });
      }
    },
  };

  /** When the state that a step led to was entered. */
  function enteredAfter(step: FoldedStep): number {
    const before = steps.at(-2);
    const isSame = before?.state === step.state && !step.transitions.some((one) => moves.has(one));
    return isSame ? step.enteredAt : step.record.at;
  }
}

/** Transitions that leave their state or enter it anew. */
const moves = new Set(
  transitionsInOrder(agentMachine).flatMap(({ target }, index) => (target?.length ? [index] : [])),
);
