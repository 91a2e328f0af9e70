import type { Call } from '../../machines/agent/agent.types.ts';
import { stateOf } from '../../machines/agent/agent.view.ts';
import type { Approval } from '../../machines/permission/reasons.ts';
import type { Json } from '../../machines/vocabulary/json.ts';
import type { Outcome } from '../../machines/vocabulary/messages.ts';
import {
  callBefore,
  callsOf,
  notStartedCall,
  outcomeOf,
  startedCalls,
  type Taken,
} from './taken.ts';
import type { AgentSnapshot } from './world/world.types.ts';

/**
 * Something that must hold on every path. `violation` looks at one event at a time; a property
 * that depends on what came before keeps a `memory`, which is explored with the run's own state.
 */
export interface Property {
  /** A short name, stable, unique among those checked together. */
  readonly id: string;
  /** What holds, in one sentence. */
  readonly text: string;
  /** What is wrong with an event that was taken, or null. */
  readonly violation?: (taken: Taken, memory: Json) => string | null;
  /** What the property remembers along a path. JSON with few values, or the space grows. */
  readonly memory?: {
    readonly initial: Json;
    readonly next: (memory: Json, taken: Taken) => Json;
  };
  /**
   * Which calls it is about. Where no call in any state of any world is one of them, the property
   * cannot fail, which is reported; without this it is about every run.
   */
  readonly about?: CallCondition;
  /** For `eventually`: what every run that people leave alone must come to. */
  readonly goal?: (snapshot: AgentSnapshot) => boolean;
}

/** A kind of event, as properties speak of it. Gives the ids of the calls it is about. */
export interface Occurrence {
  readonly text: string;
  /** The ids of the calls for which it occurred; an empty list where it did not. */
  readonly of: (taken: Taken) => readonly string[];
  /** The ids of the calls for which it turns out not to have come about after all. */
  readonly undone?: (taken: Taken) => readonly string[];
  /** Which calls it can be about at all; undefined where it has no filter. */
  readonly about?: CallCondition;
}

/** Says of a call whether it is meant. */
export type CallCondition = (call: Call) => boolean;

/** Which calls an occurrence is about. */
export interface CallFilter {
  readonly tool?: string;
  /** A further condition on the call as it was before the event. */
  readonly where?: (call: Call) => boolean;
  /** That condition in words. */
  readonly text?: string;
}

/** For events that are about no call. */
const RUN = 'run';

function wordsOf(verb: string, { tool, text }: CallFilter): string {
  return [verb, tool ?? 'a call', text].filter(Boolean).join(' ');
}

function fits({ tool, where }: CallFilter, call: Call): boolean {
  return (tool === undefined || call.tool === tool) && (where === undefined || where(call));
}

/** Something that happens to the calls that fit a filter. */
function occurrence(verb: string, filter: CallFilter, of: Occurrence['of']): Occurrence {
  const isOpen = filter.tool === undefined && filter.where === undefined;
  return {
    text: wordsOf(verb, filter),
    of,
    ...(!isOpen && { about: (call) => fits(filter, call) }),
  };
}

/** Whether a property is about a call in a state; always, where it is not about certain calls. */
export function appliesIn({ about }: Pick<Property, 'about'>, snapshot: AgentSnapshot): boolean {
  if (about === undefined) return true;
  return callsOf(snapshot).some((call) => {
    try {
      return about(call);
    } catch {
      // Written for calls further on, such as one whose facts are known: this is none of them.
      return false;
    }
  });
}

/** A tool starts. A start that does not come about is undone: nothing that allowed it is used up. */
export function starts(filter: CallFilter = {}): Occurrence {
  const started = occurrence('the start of', filter, (taken) =>
    startedCalls(taken)
      .filter((call) => fits(filter, callBefore(taken, call.id) ?? call))
      .map(({ id }) => id),
  );
  return {
    ...started,
    undone: (taken) => {
      const id = notStartedCall(taken);
      const call = id === null ? undefined : callBefore(taken, id);
      return call !== undefined && fits(filter, call) ? [call.id] : [];
    },
  };
}

/** A call is settled, with a certain outcome if one is given. */
export function settles(filter: CallFilter & { readonly outcome?: Outcome } = {}): Occurrence {
  const { outcome } = filter;
  const verb = outcome === undefined ? 'the end of' : `the outcome ${outcome} of`;
  return occurrence(verb, filter, (taken) =>
    callsOf(taken.before)
      .filter((call) => call.result === null && fits(filter, call))
      .filter(({ id }) => {
        const result = outcomeOf(taken.after, id);
        return result !== null && (outcome === undefined || result === outcome);
      })
      .map(({ id }) => id),
  );
}

/** A person grants a call, everything that is missing or at least one approval. */
export function granted(filter: CallFilter & { readonly approval?: Approval } = {}): Occurrence {
  const { approval } = filter;
  const verb = approval === undefined ? 'a grant for' : `the approval ${approval} for`;
  return occurrence(verb, filter, (taken) => {
    const { type, callId, approvals } = taken.event;
    if (type !== 'permission.grant' || typeof callId !== 'string') return [];
    const call = callBefore(taken, callId);
    const taker = callsOf(taken.after).find(({ id }) => id === callId);
    const isTaken = (taker?.grants.length ?? 0) > (call?.grants.length ?? 0);
    if (call === undefined || !isTaken || !fits(filter, call)) return [];
    const given = approvals as readonly Approval[];
    return approval === undefined || given.includes(approval) ? [callId] : [];
  });
}

/** An event of a type arrives, such as `run.cancel` or `xstate.error.actor.callModel`. */
export function event(type: string): Occurrence {
  return { text: type, of: (taken) => (taken.event.type === type ? [RUN] : []) };
}

/** The run enters a state, such as `execute` or `done`. */
export function enters(state: string): Occurrence {
  return {
    text: `entering ${state}`,
    of: ({ before: from, after: to }) => (isIn(to, state) && !isIn(from, state) ? [RUN] : []),
  };
}

/** Whether a run is in a state or one of its sub-states. */
export function isIn(snapshot: AgentSnapshot, state: string): boolean {
  const current = stateOf(snapshot);
  return current === state || current.startsWith(`${state}.`);
}

/** It occurs on no path. */
export function never(id: string, { text, of, about }: Occurrence): Property {
  return {
    id,
    text: `Never: ${text}.`,
    ...(about !== undefined && { about }),
    violation: (taken) => {
      const [call] = of(taken);
      return call === undefined ? null : `${text} (${call})`;
    },
  };
}

/** It holds in every state of every path. */
export function always(
  id: string,
  text: string,
  holds: (snapshot: AgentSnapshot) => boolean,
): Property {
  return {
    id,
    text: `Always: ${text}.`,
    violation: ({ after }) => (holds(after) ? null : `not: ${text}`),
  };
}

/**
 * `later` occurs for a call only after `earlier` did for the same call, once for each time: what
 * allowed it is used up by it, unless it is undone. Where one of the two is about no call, any
 * call's will do.
 */
export function onlyAfter(id: string, later: Occurrence, earlier: Occurrence): Property {
  return {
    id,
    text: `Only after ${earlier.text}: ${later.text}.`,
    // A filter of `earlier` that fits nothing breaks it; one of `later` would let it hold.
    ...(later.about !== undefined && { about: later.about }),
    violation: (taken, memory) => {
      const open = memory as readonly string[];
      const without = later.of(taken).find((call) => !open.some((known) => matches(known, call)));
      return without === undefined ? null : `${later.text} (${without}) without ${earlier.text}`;
    },
    memory: {
      initial: [],
      next: (memory, taken) => {
        const done = later.of(taken);
        const left = (memory as readonly string[]).filter(
          (known) => known === RUN || !done.includes(known),
        );
        const undone = later.undone?.(taken) ?? [];
        return [...new Set([...left, ...undone, ...earlier.of(taken)])].sort();
      },
    },
  };
}

function matches(earlier: string, later: string): boolean {
  return earlier === later || earlier === RUN || later === RUN;
}

/**
 * Every run that people leave alone comes to it: no path of other events ends, or goes round for
 * ever, without it.
 */
export function eventually(
  id: string,
  text: string,
  goal: (snapshot: AgentSnapshot) => boolean,
): Property {
  return { id, text: `Eventually: ${text}.`, goal };
}
