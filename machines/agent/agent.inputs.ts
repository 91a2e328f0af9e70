import {
  readDeadline,
  readInspection,
  readModelAnswer,
  readParsedReply,
  readPostToolVerdicts,
  readPreToolVerdicts,
  readPromptVerdict,
  readStopVerdict,
  readToolOutput,
} from './agent.answers.ts';
import { hasRun } from './agent.calls.ts';
import { readDenial, readGrant, readResumption } from './agent.orders.ts';
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

// What a port answered, read so that nothing it may answer can break a guard or an update.

type Answered = { readonly event: { readonly output: unknown } };

export const promptVerdict = ({ event }: Answered) => readPromptVerdict(event.output);

export const modelAnswer = ({ event }: Answered) => readModelAnswer(event.output);

export const parsedReply = ({ event }: Answered) => readParsedReply(event.output);

export const preToolVerdicts = ({ event }: Answered) => readPreToolVerdicts(event.output);

export const inspection = ({ event }: Answered) => readInspection(event.output);

export const deadlinePassed = ({ context, event }: Answered & Source) =>
  readDeadline(event.output, context.clock.at);

export const toolDone = ({ event }: { event: { actorId: string; output: unknown } }) => ({
  actorId: event.actorId,
  output: readToolOutput(event.output),
});

export const postToolVerdicts = ({ event }: Answered) => readPostToolVerdicts(event.output);

export const stopVerdict = ({ event }: Answered) => readStopVerdict(event.output);

/** What a port was rejected with. */
export const error = ({ event }: { event: { error: unknown } }): unknown => event.error;

/** The whole event. */
export const event = <Event>({ event }: { event: Event }): Event => event;

// What a person or host sent

export const grant = ({ event }: { event: unknown }) => readGrant(event);

export const denial = ({ event }: { event: unknown }) => readDenial(event);

export const resumption = ({ event }: { event: unknown }) => readResumption(event);

/** The latest time the run knows of. */
export const now = ({ context }: Source): { at: number } => ({ at: context.clock.at });
