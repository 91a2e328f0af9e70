import { type AnyActorRef, createActor, type InspectionEvent, type Observer } from 'xstate';
import type { AgentSnapshot, agentMachine } from '../../machines/agent/agent.machine.ts';
import type { AgentInput, PublicEvent } from '../../machines/agent/agent.types.ts';
import { questionsOf, reportUsage, stateOf, todosOf } from '../../machines/agent/agent.view.ts';
import { toErrorData } from '../../machines/vocabulary/errors.ts';
import { deepFreeze } from '../hooks/frozen-copy.ts';
import { harmlessly } from '../support/harmlessly.ts';
import { judgeAnswer, refuse } from './answers.ts';
import { EventStream } from './event-stream.ts';
import { type Inbox, watchInbox } from './inbox.ts';
import type { Journal } from './journal.ts';
import { RunObserver } from './observer.ts';
import { failed, leavingsOf, outcomeOf, type RestedOutcome } from './outcome.ts';
import { answerReader, type ReadAnswer } from './read-answers.ts';
import type { AnswerResult, Run, RunEvent, RunOutcome } from './run.types.ts';
import { statusOf } from './run-status.ts';
import type { InboxEntry, RunStore } from './store/store.types.ts';

/** What a run needs of its agent. */
export interface RunHost {
  readonly machine: typeof agentMachine;
  readonly now: () => number;
  readonly inspect: Observer<InspectionEvent> | ((event: InspectionEvent) => void) | undefined;
  readonly onEvent: ((event: RunEvent, run: { readonly id: string }) => void) | undefined;
  /** Makes the run's actor known to the ports, and this its driver; gives back how to leave. */
  readonly begin: (run: {
    readonly runId: string;
    readonly actor: AnyActorRef;
    readonly observer: RunObserver;
  }) => () => void;
}

/** Where a run begins: at its input, or at a snapshot folded from its log. */
export type RunOrigin = { readonly input: AgentInput } | { readonly snapshot: AgentSnapshot };

/** Where a run is kept, if it is. */
export interface RunKeeping {
  readonly store: RunStore;
  readonly journal: Journal;
  /** Answers that waited for the run to be restored. */
  readonly waiting?: readonly InboxEntry[];
}

const reader = answerReader('host');

/** Starts the machine's actor and gives the run that a host holds. */
export function openRun(origin: RunOrigin, host: RunHost, keeping: RunKeeping | null): Run {
  const runId = 'input' in origin ? origin.input.runId : origin.snapshot.context.runId;
  const { machine, now } = host;
  const journal = keeping?.journal ?? null;
  const stream = new EventStream<RunEvent>(mergeDeltas);
  const onEvent = (event: RunEvent) => host.onEvent?.(event, { id: runId });
  const observer = new RunObserver({ now, stream, onEvent });
  let resting = resolvers<RunOutcome>();
  let isResting = false;
  let isOver = false;
  let inbox: Inbox | null = null;

  const start =
    'input' in origin
      ? { input: origin.input }
      : { snapshot: machine.getPersistedSnapshot(origin.snapshot), input: undefined as never };
  const actor = createActor(machine, {
    ...start,
    inspect: (event) => {
      if (isRoot(event)) look(event);
      harmlessly(() => passOn(host.inspect, event));
    },
  });
  const leave = host.begin({ runId, actor, observer });

  /** Records come before what they lead to: an event is written before it is processed. */
  function look(event: InspectionEvent): void {
    if (event.type === '@xstate.microstep')
      harmlessly(() => observer.microstep(event.snapshot as AgentSnapshot, event.event));
    // The start is record 0; a restored actor starts once more; nothing counts after the end.
    if (event.type !== '@xstate.event' || event.event.type === 'xstate.init') return;
    if (actor.getSnapshot().status === 'active') journal?.event(event.event);
  }

  const rest = (outcome: RestedOutcome) => {
    if (isResting) return;
    isResting = true;
    if (outcome.status === 'suspended') inbox?.idle(true);
    else end();
    void announce(outcome, resting.resolve);
  };

  /** A run has come to rest when that is stored too; if it cannot be, it has failed. */
  const announce = async (outcome: RestedOutcome, resolve: (outcome: RunOutcome) => void) => {
    journal?.status(outcome.status);
    const failure = await (isOver
      ? journal?.close()
      : journal?.ready().then(
          () => null,
          (thrown: unknown) => toErrorData(thrown, 'store_failed'),
        ));
    const said = failure ? failed(outcome, failure) : outcome;
    observer.emit({ type: 'rest', outcome: said });
    // Resumed before that was told: readers of this leg go on reading.
    if (resting.resolve === resolve) stream.close();
    resolve(said);
  };

  const end = () => {
    if (isOver) return;
    isOver = true;
    observer.end();
    inbox?.stop();
    leave();
  };

  const seen = (snapshot: AgentSnapshot) => {
    if (snapshot.context.rest !== null) rest(outcomeOf(snapshot));
    else journal?.status(statusOf(snapshot));
  };
  actor.subscribe({
    next: seen,
    // Only a defect of the engine itself gets here; it ends the run as failed, never the process.
    error: (thrown) =>
      rest(failed(outcomeOf(actor.getSnapshot()), toErrorData(thrown, 'engine_error'))),
  });
  journal?.onBroken((error) => {
    // Nothing may take effect that is not on record: signals abort, nothing starts any more.
    actor.stop();
    rest(failed(outcomeOf(actor.getSnapshot()), error));
  });
  if ('snapshot' in origin) observer.restored(origin.snapshot);
  actor.start();
  if ('snapshot' in origin && origin.snapshot.context.rest !== null) seen(origin.snapshot);

  /** Sends an event if the chart takes it now; says why not otherwise. */
  const answer = (event: PublicEvent): AnswerResult => {
    const result = isOver ? refuse('ended') : judgeAnswer(actor.getSnapshot(), event);
    if (!result.accepted) return result;
    // Only a suspended run takes answers while it rests: it goes on, or ends.
    if (isResting) {
      isResting = false;
      inbox?.idle(false);
      resting = resolvers<RunOutcome>();
      stream.reopen();
    }
    // What is under way is known here only, whoever cancels it.
    const requests = observer.underWay;
    actor.send(event.type === 'run.cancel' ? { ...event, requests } : event);
    return result;
  };

  if (keeping && !isOver) {
    inbox = watchInbox({ waiting: [], ...keeping, runId, answer });
    inbox.idle(isResting);
    if (isOver) inbox.stop();
  }

  const questions = () => deepFreeze(isOver ? [] : questionsOf(actor.getSnapshot()));

  /** Answers by the handle. On a lease that has lapsed nobody can tell yet what an answer is worth. */
  const say = (read: ReadAnswer): AnswerResult => {
    if (!read.ok) return read.refusal;
    if (isOver || !journal?.isLapsed) return answer(read.event);
    void journal.confirm().then(askAgain, () => {});
    return refuse('lapsed');
  };
  const askAgain = () => {
    const open = questions();
    if (open.length > 0) observer.emit({ type: 'permission.requested', questions: open });
  };

  return {
    id: runId,
    get state() {
      return stateOf(actor.getSnapshot());
    },
    get questions() {
      return questions();
    },
    get trace() {
      return observer.trace;
    },
    get usage() {
      return reportUsage(actor.getSnapshot().context.usage);
    },
    get todos() {
      return deepFreeze(todosOf(actor.getSnapshot()));
    },
    get outcome() {
      return resting.promise;
    },
    [Symbol.asyncIterator]: () => stream.read(),

    approve: (question, options = {}) =>
      say(reader.approval({ question, options }, { at: now(), questions: questions() })),
    deny: (question, reason, options = {}) =>
      say(reader.denial({ question, reason, options }, now())),
    cancel: (options = {}) => say(reader.cancellation(options, now())),
    resume: (limits = {}, options = {}) => say(reader.resumption({ limits, options }, now())),
    saved: () => journal?.confirm() ?? Promise.resolve(),
    close: async () => {
      if (isOver) return;
      // Stopped first: what is still under way must not be recorded as if it had ended here.
      actor.stop();
      end();
      stream.close();
      if (!isResting) resting.resolve({ status: 'closed', ...leavingsOf(actor.getSnapshot()) });
      await journal?.close();
    },
  };
}

/** The first microsteps come before `createActor` returns, so the actor itself is not known yet. */
function isRoot({ actorRef, rootId }: InspectionEvent): boolean {
  return (actorRef as { sessionId?: string }).sessionId === rootId;
}

/** Gives what the host's observer gives back: it may be a promise. */
function passOn(inspect: RunHost['inspect'], event: InspectionEvent): unknown {
  return typeof inspect === 'function' ? inspect(event) : inspect?.next?.(event);
}

/** Two pieces of one reply that belong together are one longer piece. */
function mergeDeltas(last: RunEvent, next: RunEvent): RunEvent | null {
  if (last.type !== 'delta' || next.type !== 'delta' || last.turn !== next.turn) return null;
  const [{ delta }, { delta: more }] = [last, next];
  if (delta.kind !== more.kind || delta.index !== more.index || more.tool !== undefined)
    return null;
  return { ...last, delta: { ...delta, text: delta.text + more.text } };
}

function resolvers<Value>() {
  let resolve = (_: Value): void => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
