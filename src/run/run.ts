import {
  type ActorRefFrom,
  createActor,
  type InspectionEvent,
  type Observer,
  type SnapshotFrom,
} from 'xstate';
import type { agentMachine } from '../../machines/agent/agent.machine.ts';
import type { AgentInput, Limits, PublicEvent } from '../../machines/agent/agent.types.ts';
import { questionsOf, reportUsage, stateOf, todosOf } from '../../machines/agent/agent.view.ts';
import type { Approval } from '../../machines/permission/reasons.ts';
import { toErrorData } from '../../machines/vocabulary/errors.ts';
import { EventStream } from './event-stream.ts';
import { RunObserver } from './observer.ts';
import { limitsSchema, parseOption } from './options.ts';
import type { AnswerResult, Run, RunEvent, RunOutcome } from './run.types.ts';

/** What a run needs of its agent. */
export interface RunHost {
  readonly machine: typeof agentMachine;
  readonly now: () => number;
  readonly inspect: Observer<InspectionEvent> | ((event: InspectionEvent) => void) | undefined;
  readonly onEvent: ((event: RunEvent, run: { readonly id: string }) => void) | undefined;
  /** Makes the run known to the ports; gives back how to forget it. */
  readonly register: (runId: string, observer: RunObserver) => () => void;
}

type AgentActor = ActorRefFrom<typeof agentMachine>;
type AgentSnapshot = SnapshotFrom<typeof agentMachine>;

const REFUSALS = {
  not_asked: 'There is no open question about this call: it was answered, or never asked.',
  stale: 'What the call would do has changed since the question was shown. Look again.',
  not_missing: 'An approval must name at least one thing that is missing, and nothing else.',
  ended: 'The run has ended.',
  not_suspended: 'The run is not suspended.',
  not_raised: 'The limit that stopped the run must be raised.',
} as const;

/** Starts the machine's actor and gives the run that a host holds. */
export function startRun(input: AgentInput, host: RunHost): Run {
  const { runId } = input;
  const { now } = host;
  const stream = new EventStream<RunEvent>();
  const onEvent = (event: RunEvent) => host.onEvent?.(event, { id: runId });
  const observer = new RunObserver({ now, stream, onEvent });
  const forget = host.register(runId, observer);
  let resting = resolvers<RunOutcome>();
  let isResting = false;

  const actor: AgentActor = createActor(host.machine, {
    input,
    inspect: (event) => {
      if (event.type === '@xstate.microstep' && isRoot(event))
        harmlessly(() => observer.microstep(event.snapshot as AgentSnapshot, event.event));
      harmlessly(() => passOn(host.inspect, event));
    },
  });

  const rest = (outcome: RunOutcome) => {
    if (isResting) return;
    isResting = true;
    if (outcome.status !== 'suspended') {
      observer.end();
      forget();
    }
    observer.emit({ type: 'rest', outcome });
    stream.close();
    resting.resolve(outcome);
  };

  const look = (snapshot: AgentSnapshot) => {
    if (snapshot.context.rest !== null) rest(outcomeOf(snapshot));
  };
  actor.subscribe({
    next: look,
    // Only a defect of the engine itself gets here; it ends the run as failed, never the process.
    error: (thrown) => {
      const error = toErrorData(thrown, 'engine_error');
      rest({ ...outcomeOf(actor.getSnapshot()), status: 'failed', error } as RunOutcome);
    },
  });
  actor.start();

  /** Sends an event if the chart takes it now; says why not otherwise. */
  const answer = (event: PublicEvent, refusal: () => keyof typeof REFUSALS): AnswerResult => {
    const snapshot = actor.getSnapshot();
    const code = snapshot.status === 'active' ? refusalOf(snapshot, event, refusal) : 'ended';
    if (code !== null) return { accepted: false, code, message: REFUSALS[code] };
    actor.send(event);
    return { accepted: true };
  };

  const questions = () => questionsOf(actor.getSnapshot());
  const questionAbout = (callId: string) => questions().find((asked) => asked.callId === callId);

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
      return todosOf(actor.getSnapshot());
    },
    get outcome() {
      return resting.promise;
    },
    [Symbol.asyncIterator]: () => stream.read(),

    approve: (callId, approvals, { by = 'host', shown, expiresAt } = {}) => {
      const question = questionAbout(callId);
      const event: PublicEvent = {
        type: 'permission.grant',
        callId,
        approvals: [...(approvals ?? question?.missing ?? [])] as Approval[],
        shown: shown ?? question?.shown ?? '',
        by,
        at: now(),
        expiresAt: expiresAt ?? null,
      };
      return answer(event, () => {
        if (question === undefined) return 'not_asked';
        return event.shown === question.shown ? 'not_missing' : 'stale';
      });
    },
    deny: (callId, reason = '', { by = 'host' } = {}) =>
      answer({ type: 'permission.deny', callId, reason, by, at: now() }, () => 'not_asked'),
    cancel: ({ by = 'host' } = {}) => answer({ type: 'run.cancel', by, at: now() }, () => 'ended'),
    resume: (limits = {}, { by = 'host' } = {}) => {
      const raised = parseOption(limitsSchema, limits, 'limits') as Partial<Limits>;
      const snapshot = actor.getSnapshot();
      const event: PublicEvent = { type: 'run.resume', limits: raised, by, at: now() };
      if (snapshot.can(event)) {
        isResting = false;
        resting = resolvers<RunOutcome>();
        stream.reopen();
      }
      return answer(event, () =>
        snapshot.context.rest?.status === 'suspended' ? 'not_raised' : 'not_suspended',
      );
    },
  };
}

function refusalOf(
  snapshot: AgentSnapshot,
  event: PublicEvent,
  refusal: () => keyof typeof REFUSALS,
): keyof typeof REFUSALS | null {
  return snapshot.can(event) ? null : refusal();
}

function outcomeOf(snapshot: AgentSnapshot): RunOutcome {
  const { runId, usage, messages, rest } = snapshot.context;
  const error = { code: 'engine_error', message: 'The run stopped without saying how.' };
  return {
    ...(rest ?? { status: 'failed', error }),
    runId,
    usage: reportUsage(usage),
    todos: todosOf(snapshot),
    messages,
  };
}

/** The first microsteps come before `createActor` returns, so the actor itself is not known yet. */
function isRoot({ actorRef, rootId }: InspectionEvent): boolean {
  return (actorRef as { sessionId?: string }).sessionId === rootId;
}

function passOn(inspect: RunHost['inspect'], event: InspectionEvent): void {
  if (typeof inspect === 'function') inspect(event);
  else inspect?.next?.(event);
}

/** A host's callback is not part of the run: what it throws is dropped. */
function harmlessly(work: () => void): void {
  try {
    work();
  } catch {
    // Nothing to do: the run goes on as if nobody had looked.
  }
}

function resolvers<Value>() {
  let resolve = (_: Value): void => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
