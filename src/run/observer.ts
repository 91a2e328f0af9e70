import { decide } from '../../machines/agent/agent.calls.ts';
import type { AgentContext, Call } from '../../machines/agent/agent.types.ts';
import { questionsOf, stateOf, todosOf } from '../../machines/agent/agent.view.ts';
import type { ModelDelta, RequestRecord } from '../../machines/vocabulary/model.ts';
import { TODO_TOOL } from '../../machines/vocabulary/todos.ts';
import { deepFreeze } from '../hooks/frozen-copy.ts';
import { harmlessly } from '../support/harmlessly.ts';
import type { EventStream } from './event-stream.ts';
import type { PersonStep, RunEvent, Step } from './run.types.ts';

/** A step before it has an id and times. */
type NewStep<Kind extends Step['kind']> = Omit<
  Extract<Step, { kind: Kind }>,
  'id' | 'startedAt' | 'endedAt'
>;

/** Where the chart settles what nobody can allow, call by call. */
const DECIDING = 'awaitPermission.deciding';

/** What a snapshot must have to be observed. */
interface Observed {
  readonly value: unknown;
  readonly context: AgentContext;
}

interface ObserverOptions {
  readonly now: () => number;
  readonly stream: EventStream<RunEvent>;
  /** The host's callback; what it throws, or rejects with, is dropped. */
  readonly onEvent: (event: RunEvent) => unknown;
}

/**
 * Turns what happens in a run into events and a trace. Ports report their own work to it; the
 * rest it reads from the chart's microsteps. It never changes a run.
 */
export class RunObserver {
  readonly #options: ObserverOptions;
  readonly #steps: Step[] = [];
  #given: readonly Step[] | null = null;
  readonly #open = new Map<number, number>();
  /** The model's step whose reply is not in the chart yet, and what it carries. */
  #asked: { readonly step: number; readonly request: RequestRecord } | null = null;
  #previous: Observed | null = null;
  /** The calls that are being decided about. */
  #undecided: ReadonlySet<string> = new Set();

  constructor(options: ObserverOptions) {
    this.#options = options;
  }

  /** The steps by now. One copy for all who ask until there is a new one. */
  get trace(): readonly Step[] {
    this.#given ??= Object.freeze([...this.#steps]);
    return this.#given;
  }

  /** Opens a step and gives its id. */
  open<Kind extends Step['kind']>(step: NewStep<Kind>): number {
    const id = this.#steps.length + 1;
    const startedAt = this.#options.now();
    const opened = deepFreeze({ ...step, id, startedAt, endedAt: null } as unknown as Step);
    this.#steps.push(opened);
    this.#given = null;
    this.#open.set(id, id - 1);
    this.emit({ type: 'step.started', step: opened });
    return id;
  }

  /** Closes a step with what is known by now. A step that is closed already stays as it is. */
  close<Kind extends Step['kind']>(
    id: number,
    end: Partial<Extract<Step, { kind: Kind }>> = {},
  ): void {
    const index = this.#open.get(id);
    const step = index === undefined ? undefined : this.#steps[index];
    if (index === undefined || step === undefined) return;
    this.#open.delete(id);
    const closed = deepFreeze({ ...step, endedAt: this.#options.now(), ...end } as Step);
    this.#steps[index] = closed;
    this.#given = null;
    this.emit({ type: 'step.finished', step: closed });
  }

  /** A model's step makes its request now: what that carries is known also if it is cut short. */
  asked(step: number, carried: Pick<RequestRecord, 'messages' | 'characters'>): void {
    this.#asked = { step, request: { ...carried, usage: null, error: 'aborted', ms: 0 } };
  }

  /** Requests made that the chart has not counted yet: one whose cost nobody will tell, or all. */
  get underWay(): readonly RequestRecord[] {
    if (this.#asked === null) return [];
    const { step: id, request } = this.#asked;
    const step = this.#steps[id - 1];
    return this.#open.has(id) || step?.kind !== 'model' ? [request] : step.requests;
  }

  /** Adds a step that is over. `startedAt` may lie in the past. */
  add<Kind extends Step['kind']>(step: NewStep<Kind>, startedAt = this.#options.now()): void {
    const id = this.open(step);
    this.close(id, { startedAt } as Partial<Extract<Step, { kind: Kind }>>);
  }

  delta(turn: number, delta: ModelDelta): void {
    // Shallow: a model may hand on what cannot be frozen.
    const event: RunEvent = Object.freeze({
      type: 'delta',
      turn,
      delta: Object.freeze({ ...delta }),
    });
    this.#options.stream.pass(event);
    this.#tellHost(event);
  }

  /** Readers share an event: none of them may change it. */
  emit(event: RunEvent): void {
    this.#options.stream.keep(deepFreeze(event));
    this.#tellHost(event);
  }

  /** Once the chart has come to its next state: the host may answer at once. */
  #tellHost(event: RunEvent): void {
    queueMicrotask(() => harmlessly(() => this.#options.onEvent(event)));
  }

  /** Resolves once the host has been told of everything up to now. */
  async told(): Promise<void> {}

  /** Reads one microstep of the chart. */
  microstep(snapshot: Observed, event: { readonly type: string }): void {
    const before = this.#previous;
    this.#previous = snapshot;
    const state = stateOf(snapshot);
    if (state !== 'callModel.working' && state !== 'cancelled') this.#asked = null;
    this.#refused(snapshot, before);
    if (before !== null) this.#decisions(before, snapshot);
    if (before !== null) this.#answers(before, snapshot, event);
    if (before === null || stateOf(before) !== state) {
      this.emit({ type: 'state', state, at: this.#options.now() });
      if (state === 'awaitPermission.asking') this.#questions(snapshot);
    }
    this.#todos(snapshot, before);
  }

  /** Takes a run up where it is: says so, and asks what is asked there. */
  restored(snapshot: Observed): void {
    this.#previous = snapshot;
    const state = stateOf(snapshot);
    this.emit({ type: 'state', state, at: this.#options.now() });
    if (state === 'awaitPermission.asking') this.#questions(snapshot);
  }

  /** Closes what is still open when a run ends: nothing goes on after that. */
  end(): void {
    for (const id of [...this.#open.keys()]) {
      const step = this.#steps[id - 1];
      if (step?.kind === 'person') this.close<'person'>(id, { answer: 'cancelled' });
      else if (step?.kind === 'tool') this.close<'tool'>(id, { outcome: 'cancelled' });
      else if (step?.kind === 'model')
        this.close<'model'>(id, { status: 'cancelled', requests: this.underWay });
      else this.close(id);
    }
  }

  /** Calls that came settled: of no tool, or with arguments that do not fit. */
  #refused({ context }: Observed, before: Observed | null): void {
    if (before === null || context.calls === before.context.calls) return;
    const known = new Set(before.context.calls.map(({ id }) => id));
    for (const call of context.calls)
      if (!known.has(call.id) && call.result !== null)
        this.add<'decision'>(decisionOf(call, context));
  }

  /** What the chart decided about the calls it looked at, once it has settled what it must. */
  #decisions(before: Observed, after: Observed): void {
    const isDeciding = stateOf(before) === DECIDING;
    if (stateOf(after) === DECIDING) {
      if (!isDeciding) this.#undecided = new Set(liveIds(before));
      return;
    }
    if (!isDeciding) return;
    // As it was decided: what starts or is asked about has moved on by now.
    for (const call of before.context.calls)
      if (this.#undecided.has(call.id)) this.add<'decision'>(decisionOf(call, before.context));
  }

  #questions(snapshot: Observed): void {
    const { turn } = snapshot.context;
    const questions = questionsOf(snapshot);
    for (const { callId, tool, reasons } of questions) {
      const asked = {
        callId,
        tool,
        turn,
        reasons,
        answer: 'open',
        approvals: [],
        by: null,
      } as const;
      this.open<'person'>({ kind: 'person', ...asked });
    }
    this.emit({ type: 'permission.requested', questions });
  }

  #answers(before: Observed, after: Observed, event: { readonly type: string }): void {
    const asked = before.context.calls.filter(({ stage }) => stage === 'asked');
    if (asked.length === 0) return;
    const still = new Set(
      after.context.calls.flatMap(({ id, stage }) => (stage === 'asked' ? [id] : [])),
    );
    for (const { id } of asked) {
      if (still.has(id)) continue;
      const step = this.#steps.findLast(
        (candidate): candidate is PersonStep =>
          candidate.kind === 'person' && candidate.callId === id,
      );
      if (step) this.close<'person'>(step.id, answerOf(event));
    }
  }

  #todos(snapshot: Observed, before: Observed | null): void {
    const { messages } = snapshot.context;
    const known = before?.context.messages.length ?? messages.length;
    const isNew = messages
      .slice(known)
      .some((message) => message.role === 'observation' && message.tool === TODO_TOOL);
    if (isNew) this.emit({ type: 'todos', todos: todosOf(snapshot) });
  }
}

function liveIds(snapshot: Observed | null): readonly string[] {
  return snapshot?.context.calls.flatMap(({ id, stage }) => (stage === 'live' ? [id] : [])) ?? [];
}

function decisionOf(call: Call, { policies, turn }: AgentContext): NewStep<'decision'> {
  const { id: callId, tool, result } = call;
  const part = { kind: 'decision', callId, tool, turn } as const;
  if (result !== null)
    return { ...part, action: 'deny', outcome: result.outcome, reasons: result.reasons };
  return { ...part, outcome: null, ...decide(call, policies) };
}

function answerOf(event: { readonly type: string }): Partial<PersonStep> {
  const { by = null, approvals = [] } = event as Partial<PersonStep>;
  if (event.type === 'permission.grant') return { answer: 'granted', by, approvals };
  if (event.type === 'permission.deny') return { answer: 'denied', by };
  if (event.type === 'run.cancel') return { answer: 'cancelled', by };
  return { answer: 'expired' };
}
