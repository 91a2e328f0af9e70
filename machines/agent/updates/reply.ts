import { type ErrorData, toErrorData } from '../../vocabulary/errors.ts';
import type { Message } from '../../vocabulary/messages.ts';
import {
  type ReadModelAnswer,
  readFailedRequests,
  readPartialText,
  UNTOLD_REQUEST,
} from '../agent.answers.ts';
import { close } from '../agent.calls.ts';
import type { PortOutputs } from '../agent.ports.ts';
import type { AgentContext, Call, CheckedCall, Limits, ParsedReply } from '../agent.types.ts';
import { suspend } from './rest.ts';
import { addUsage, type Update, wordsOf, work } from './shared.ts';

// submitPrompt

/** Puts what hooks add beside the person's words. */
export function addPromptContext(
  { messages }: AgentContext,
  { context }: PortOutputs['userPromptSubmit'],
): Update {
  return {
    messages: messages.map((entry, index) =>
      index === messages.length - 1 && entry.role === 'user' ? { ...entry, context } : entry,
    ),
  };
}

/** Ends the run because a hook did not let the prompt through. */
export function refusePrompt(
  _: AgentContext,
  { verdict, reasons }: PortOutputs['userPromptSubmit'],
): Update {
  const code = verdict === 'block' ? 'prompt_blocked' : 'hook_failed';
  return { rest: { status: 'failed', error: { code, message: wordsOf(reasons) } } };
}

// callModel

export function beginTurn({ turn, counters }: AgentContext): Update {
  return { turn: turn + 1, counters: { ...counters, turns: counters.turns + 1 } };
}

/** Keeps the reply outside the messages until it is parsed, and adds up what it cost. */
export function recordReply(
  { usage, clock }: AgentContext,
  { at, reply }: ReadModelAnswer,
): Update {
  // A reply that could not be read was asked for all the same, at an unknown cost.
  const requests = reply?.requests ?? [UNTOLD_REQUEST];
  return { reply, usage: addUsage(usage, requests), clock: work(clock, at) };
}

/** Rests because no model answered, or broke off; asking again later may help. */
export function suspendWithoutModel(context: AgentContext, thrown: unknown): Update {
  const error = toErrorData(thrown, 'unavailable');
  const text = readPartialText(error.details);
  // What had arrived is the last text the model wrote; it is no answer and enters no message.
  const told = text === '' ? context : { ...context, answer: text };
  return { ...addFailedUsage(context, error), ...suspend(told, 'model_unavailable', error) };
}

/** Ends the run because the model refused in a way that asking again does not mend. */
export function failModel(context: AgentContext, thrown: unknown): Update {
  const error = toErrorData(thrown, 'model_failed');
  return { ...addFailedUsage(context, error), rest: { status: 'failed', error } };
}

/** Adds up what requests cost that gave no reply. */
function addFailedUsage({ usage }: AgentContext, { details }: ErrorData): Update {
  return { usage: addUsage(usage, readFailedRequests(details)) };
}

// parseReply

export function acceptAnswer(
  context: AgentContext,
  { text, answer }: Extract<ParsedReply, { kind: 'answer' }>,
): Update {
  return { ...appendReply(context, text, []), answer };
}

/** Opens the batch: a record per call; those that cannot run are settled at once. */
export function acceptCalls(
  context: AgentContext,
  { text, calls }: Extract<ParsedReply, { kind: 'calls' }>,
): Update {
  const batch = calls.map((call, index) => openCall(call, `${context.turn}.${index}`));
  const { counters } = context;
  return {
    ...appendReply(context, text, batch),
    calls: batch,
    answer: null,
    counters: { ...counters, toolCalls: counters.toolCalls + batch.length },
  };
}

function openCall({ tool, providerId, input, problem }: CheckedCall, id: string): Call {
  const call: Call = {
    id,
    providerId,
    tool,
    requestedInput: input,
    input,
    stage: 'live',
    starts: 0,
    hookQuestions: [],
    outcomeUnknown: false,
    facts: null,
    inspectionError: null,
    setbacks: 0,
    grants: [],
    context: [],
    result: null,
  };
  return problem === null ? call : close(call, problem.outcome, { content: problem.content });
}

/** A reply that cannot be used enters as text only, followed by what was wrong with it. */
export function acceptMalformed(context: AgentContext, parsed: ParsedReply): Update {
  const { counters, limits } = context;
  const replied = appendReply(context, parsed.text, []);
  const { code, detail } = problemOf(parsed, limits);
  return {
    ...replied,
    messages: replied.messages.concat({ role: 'repair', code, detail }),
    answer: null,
    counters: { ...counters, repairs: counters.repairs + 1 },
  };
}

function problemOf(parsed: ParsedReply, limits: Limits): { code: string; detail: string | null } {
  if (parsed.kind === 'malformed') return parsed;
  if (parsed.kind === 'calls' && parsed.calls.length > 0)
    return { code: 'too_many_calls', detail: String(limits.callsPerReply) };
  return { code: 'empty', detail: null };
}

function appendReply(
  { messages, turn, reply }: AgentContext,
  text: string | null,
  calls: readonly Call[],
) {
  const content = text ?? reply?.text ?? '';
  const said = calls.map(({ id, providerId, tool, input }) => ({ id, providerId, tool, input }));
  const entry: Message = { role: 'assistant', turn, content, calls: said };
  // Of a long history, `concat` makes one copy where a spread makes two.
  return { reply: null, messages: messages.concat(entry) };
}
