import type { AnyActorRef, InspectionEvent } from 'xstate';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import type { AgentContext } from '../../machines/agent/agent.types.ts';
import type { Json, JsonObject } from '../../machines/vocabulary/json.ts';

/** The version of `@statelyai/inspect` whose messages these are. */
const FORMAT_VERSION = '0.7.2';

interface MessagePart {
  readonly _version: string;
  /** Milliseconds since the epoch, as text. */
  readonly createdAt: string;
  readonly id: null;
  readonly rootId: string | undefined;
  readonly sessionId: string;
}

interface MessageSnapshot {
  readonly status: string;
  readonly value?: Json;
  readonly context?: Json;
}

/** What Stately's inspector is told, in the form of `@statelyai/inspect`. JSON. */
export type StatelyMessage = MessagePart &
  (
    | {
        readonly type: '@xstate.actor';
        readonly name: string;
        /** The actor's machine as JSON text. */
        readonly definition: string;
        readonly parentId: string | undefined;
        readonly snapshot: MessageSnapshot;
      }
    | {
        readonly type: '@xstate.event';
        readonly event: JsonObject & { readonly type: string };
        readonly sourceId: string | undefined;
      }
    | {
        readonly type: '@xstate.snapshot';
        readonly event: JsonObject & { readonly type: string };
        readonly snapshot: MessageSnapshot;
      }
  );

export interface StatelyInspectionOptions {
  /** Called with every message, in order; what it throws goes to whoever runs the actor. */
  readonly send: (message: StatelyMessage) => void;
  /**
   * What may be seen of the agent's context. Default figures and states only: no words of people,
   * models or tools, which also keeps a run of many turns small.
   */
  readonly sanitizeContext?: (context: AgentContext) => Json;
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Tells Stately's inspector (or its receiver) about a run: hand `inspect` to `createAgent`, or to
 * `createActor` of a machine of your own that has the agent as a child. Of actors that are not the
 * agent's machine it tells the status and no context. It opens no connection and holds no timer: where messages go is the host's business. Whoever gets
 * them sees names of tools, ids and figures, and whatever `sanitizeContext` lets through.
 */
export function createStatelyInspection({
  send,
  sanitizeContext = figuresOf,
  now = Date.now,
}: StatelyInspectionOptions): { readonly inspect: (event: InspectionEvent) => void } {
  const snapshotOf = (snapshot: unknown, isAgent: boolean): MessageSnapshot => {
    const { status = 'active', value, context } = (snapshot ?? {}) as SnapshotParts;
    if (!isAgent) return { status };
    return {
      status,
      ...(value !== undefined && { value }),
      ...(context !== undefined && { context: sanitizeContext(context) }),
    };
  };
  return {
    inspect(event) {
      const { rootId, type } = event;
      const actor = event.actorRef as AnyActorRef & Parented;
      const { sessionId } = actor;
      const isAgent = isAgentLogic(actor.logic);
      const part = {
        _version: FORMAT_VERSION,
        createdAt: String(now()),
        id: null,
        rootId,
        sessionId,
      };
      if (type === '@xstate.actor')
        send({
          ...part,
          type,
          name: isAgent && sessionId === rootId ? agentMachine.id : actor.id,
          definition: isAgent ? definition() : JSON.stringify({ id: actor.id }),
          parentId: actor._parent?.sessionId,
          // Told while the actor is made: it has no snapshot yet.
          snapshot: { status: 'active' },
        });
      if (type === '@xstate.event')
        send({
          ...part,
          type,
          event: bare(event.event),
          sourceId: event.sourceRef?.sessionId,
        });
      if (type === '@xstate.snapshot')
        send({
          ...part,
          type,
          event: bare(event.event),
          snapshot: snapshotOf(event.snapshot, isAgent),
        });
    },
  };
}

/** Whether an actor is the agent's chart, whatever its ports are filled in with. */
function isAgentLogic(logic: unknown): boolean {
  return (logic as { readonly config?: unknown } | null)?.config === agentMachine.config;
}

interface SnapshotParts {
  readonly status?: string;
  readonly value?: Json;
  readonly context?: AgentContext;
}

interface Parented {
  /** What the actor runs; not part of the reference's type. */
  readonly logic?: unknown;
  readonly _parent?: { readonly sessionId: string };
}

/** An event without what people, models and tools said in it. */
function bare(event: { readonly type: string }): JsonObject & { readonly type: string } {
  const { type, callId, by } = event as { type: string; callId?: unknown; by?: unknown };
  return {
    type,
    ...(typeof callId === 'string' && { callId }),
    ...(typeof by === 'string' && { by }),
  };
}

/** Figures and states of a run. */
function figuresOf({ turn, counters, usage, calls, messages, rest }: AgentContext): Json {
  return {
    turn,
    counters: { ...counters },
    usage: { ...usage },
    messages: messages.length,
    calls: calls.map(({ id, tool, stage, result }) => ({
      ...{ id, tool, stage },
      outcome: result?.outcome ?? null,
    })),
    rest: rest?.status ?? null,
  };
}

/** The chart's configuration as text; functions by their names. */
function definition(): string {
  return JSON.stringify(agentMachine.config, (_, value: unknown) =>
    typeof value === 'function' ? { type: value.name } : value,
  );
}
