import { hasRun } from './agent.calls.ts';
import type { PortInputs } from './agent.ports.ts';
import type { AgentContext } from './agent.types.ts';

// What each port is given, read from the context; and what a guard or an action is given, read
// from an event. The chart names these beside the port, guard or action they belong to.

type Source = { readonly context: AgentContext };

const about = ({ runId, turn, prompt, messages, locale }: AgentContext) => ({
  runId,
  turn,
  prompt,
  messages,
  locale,
});

/** For ports that look at the conversation as a whole. */
export const conversation = ({ context }: Source): PortInputs['callModel'] => about(context);

export const unparsedReply = ({ context }: Source): PortInputs['parseReply'] => {
  const { runId, turn, reply, locale } = context;
  return { runId, turn, reply, locale };
};

export const callsBeforeHooks = ({ context }: Source): PortInputs['preToolUse'] => ({
  ...about(context),
  calls: context.calls.filter(({ stage }) => stage === 'live'),
});

export const callsToInspect = ({ context }: Source): PortInputs['inspectFacts'] => ({
  runId: context.runId,
  turn: context.turn,
  calls: context.calls.filter(({ stage }) => stage === 'live'),
});

export const deadline = ({ context }: Source): PortInputs['approvalDeadline'] => ({
  runId: context.runId,
  turn: context.turn,
  at: context.deadline,
});

export const callsThatRan = ({ context }: Source): PortInputs['postToolUse'] => ({
  ...about(context),
  calls: context.calls.filter(hasRun),
});

export const answer = ({ context }: Source): PortInputs['stop'] => ({
  ...about(context),
  answer: context.answer ?? '',
  stopBlocks: context.counters.stopBlocks,
});

/**
 * What a port answered. Ports check their answers, but one that gives none at all must not break
 * a guard: it reads as an answer with nothing in it, and the chart takes the way for nonsense.
 */
export const output = <Output>({ event }: { event: { output: Output } }): Output =>
  typeof event.output === 'object' && event.output !== null ? event.output : ({} as Output);

/** What a port was rejected with. */
export const error = ({ event }: { event: { error: unknown } }): unknown => event.error;

/** The whole event. */
export const event = <Event>({ event }: { event: Event }): Event => event;

/** The limits a person wants raised. */
export const limits = <Limits>({ event }: { event: { limits: Limits } }): Limits => event.limits;

/** The latest time the run knows of. */
export const now = ({ context }: Source): { at: number } => ({ at: context.clock.at });
