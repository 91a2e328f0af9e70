import { type AnyActorRef, fromPromise, type PromiseActorLogic } from 'xstate';
import type { PortInputs, PortName, PortOutputs } from '../../../machines/agent/agent.ports.ts';
import type { AgentContext } from '../../../machines/agent/agent.types.ts';
import { toErrorData } from '../../../machines/vocabulary/errors.ts';
import type { Locale } from '../../../machines/vocabulary/json.ts';
import type { Message } from '../../../machines/vocabulary/messages.ts';
import type { ToolSpec } from '../../../machines/vocabulary/model.ts';
import { deepFreeze } from '../../hooks/frozen-copy.ts';
import type { Hook } from '../../hooks/hook.types.ts';
import type { Model } from '../../model/model.types.ts';
import type { Protocol } from '../../protocol/protocol.types.ts';
import type { Tool } from '../../tools/tool.types.ts';
import type { Journal } from '../journal.ts';
import type { RunObserver } from '../observer.ts';
import type { Slots } from '../slots.ts';

/** What the ports of an agent are made of. */
export interface AgentParts {
  readonly model: Model;
  readonly protocol: Protocol;
  readonly instructions: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly specs: readonly ToolSpec[];
  readonly hooks: readonly Hook[];
  readonly locale: Locale;
  readonly maxResultBytes: number;
  readonly inspectTimeout: number;
  readonly now: () => number;
  /**
   * What belongs to one run and not to the agent, by the agent's actor.
   * @throws AgentHubError `not_driven` for an actor that must have a log and has none.
   */
  readonly servicesOf: (actor: AnyActorRef) => RunServices;
}

/** What the ports need of one run. */
export interface RunServices {
  /** Null for a run that a host started itself. */
  readonly observer: RunObserver | null;
  /** Null for a run that is not stored. */
  readonly journal: Journal | null;
  /** Limits how many tools run at the same time. */
  readonly slots: Slots;
}

/** What a port's work is given beside its input. */
export interface PortScope {
  readonly signal: AbortSignal;
  readonly services: RunServices;
  /** The run's history as of now; empty when the actor has no agent above it. */
  readonly history: () => readonly Message[];
}

/**
 * An actor for a port. Its work starts when everything that led to it is stored. Whatever it
 * throws becomes plain `{ code, message, details }`: nothing that is not JSON may reach the chart.
 */
export function portActor<Name extends PortName>(
  { servicesOf }: Pick<AgentParts, 'servicesOf'>,
  fallbackCode: string,
  work: (input: PortInputs[Name], scope: PortScope) => Promise<PortOutputs[Name]>,
): PromiseActorLogic<PortOutputs[Name], PortInputs[Name]> {
  return fromPromise<PortOutputs[Name], PortInputs[Name]>(async ({ input, signal, self }) => {
    try {
      // By the actor that invoked the port: of all handles a run ever had, it is that one's work.
      const services = servicesOf(agentOf(self) ?? self);
      await services.journal?.ready();
      signal.throwIfAborted();
      const scope = { signal, services, history: () => historyOf(self) };
      // Questions, events and steps hand parts of it to hosts: none of them may change a run.
      return deepFreeze(await work(input, scope));
    } catch (thrown) {
      throw toErrorData(thrown, fallbackCode);
    }
  });
}

/** The agent's actor above a port's. */
function agentOf(self: AnyActorRef): AnyActorRef | undefined {
  return (self as { _parent?: AnyActorRef })._parent;
}

/** A tool may look at the history; handing it through its input would store it once per call. */
function historyOf(self: AnyActorRef): readonly Message[] {
  const context = agentOf(self)?.getSnapshot()?.context as Partial<AgentContext> | undefined;
  return context?.messages ?? [];
}
