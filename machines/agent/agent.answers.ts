import type { Facts } from '../permission/evaluate.ts';
import { type ErrorData, toErrorData } from '../vocabulary/errors.ts';
import { isJson, type Json } from '../vocabulary/json.ts';
import type { ContextNote } from '../vocabulary/messages.ts';
import type { ModelReply, RequestRecord } from '../vocabulary/model.ts';
import type { PortOutputs } from './agent.ports.ts';
import type {
  ByCall,
  CheckedCall,
  Inspection,
  ParsedReply,
  PostToolVerdict,
  PreToolVerdict,
  ToolOutput,
} from './agent.types.ts';
import {
  byCall,
  fieldsOf,
  isCount,
  listOf,
  notesOf,
  oneOf,
  reading,
  required,
  timeOf,
} from './reading.ts';

// What ports answered, read as if it came from a stranger: a host may fill a port in with an actor
// that answers nothing, or nonsense. Each reader is total and gives what the chart can go on with;
// what it cannot read becomes the answer that closes a gate, and never one that opens it.

/** Reads a UserPromptSubmit verdict; one that is not readable is `failed`. */
export function readPromptVerdict(answer: unknown): PortOutputs['userPromptSubmit'] {
  return reading(
    () => {
      const { verdict, context = [], reasons = [] } = fieldsOf(answer);
      return {
        verdict: oneOf(verdict, ['proceed', 'block', 'failed']),
        context: notesOf(context),
        reasons: notesOf(reasons),
      };
    },
    { verdict: 'failed', context: [], reasons: [NO_ANSWER.UserPromptSubmit] },
  );
}

/** A model's answer as read. */
export interface ReadModelAnswer {
  readonly at: number;
  readonly reply: ModelReply | null;
}

/** Reads a model's answer; `reply` is null when there is none that can be read. */
export function readModelAnswer(answer: unknown): ReadModelAnswer {
  return reading<ReadModelAnswer>(
    () => {
      const { at, reply } = fieldsOf(answer);
      const { text, calls, finishReason, model, requests } = fieldsOf(reply);
      required(typeof text === 'string' && typeof model === 'string');
      required(typeof finishReason === 'string' && isJson(reply));
      for (const call of listOf(calls)) {
        const { id, name, arguments: input } = fieldsOf(call);
        required(id === null || typeof id === 'string');
        required(typeof name === 'string' && typeof input === 'string');
      }
      listOf(requests).forEach(readRequest);
      return { at: timeOf(at), reply: reply as unknown as ModelReply };
    },
    { at: 0, reply: null },
  );
}

/** A request of which nothing is known but that it was made. */
export const UNTOLD_REQUEST: RequestRecord = {
  messages: 0,
  characters: 0,
  usage: null,
  error: 'bad_response',
  ms: 0,
};

/** Reads the requests in the details of a failure. */
export function readFailedRequests(details: unknown): readonly RequestRecord[] {
  const requests = reading(() => listOf(fieldsOf(details).requests), []);
  return requests.map((request) => reading(() => readRequest(request), UNTOLD_REQUEST));
}

/** Reads what had arrived of a reply that broke off, in the details of a failure; else ''. */
export function readPartialText(details: unknown): string {
  return reading(() => {
    const { partialText } = fieldsOf(details);
    return typeof partialText === 'string' ? partialText : '';
  }, '');
}

function readRequest(request: unknown): RequestRecord {
  const { messages, characters, usage } = fieldsOf(request);
  required(isCount(messages) && isCount(characters));
  if (usage === null) return request as RequestRecord;
  const { inputTokens, outputTokens } = fieldsOf(usage);
  required(isCount(inputTokens) && isCount(outputTokens));
  return request as RequestRecord;
}

/** Reads what a protocol made of a reply; what is none is a reply with nothing in it. */
export function readParsedReply(answer: unknown): ParsedReply {
  return reading(
    () => {
      const parsed = fieldsOf(answer);
      const { kind, text, detail = null } = parsed;
      required((text === null || typeof text === 'string') && isJson(parsed));
      if (kind === 'calls') for (const call of listOf(parsed.calls)) checkCall(call);
      else if (kind === 'answer') required(typeof parsed.answer === 'string');
      else required(kind === 'malformed' && typeof parsed.code === 'string');
      required(detail === null || typeof detail === 'string');
      return parsed as unknown as ParsedReply;
    },
    { kind: 'malformed', text: '', code: 'empty', detail: null },
  );
}

function checkCall(call: unknown): void {
  const { tool, providerId, input, problem } = fieldsOf(call) as Partial<CheckedCall>;
  required(typeof tool === 'string' && input !== undefined);
  required(providerId === null || typeof providerId === 'string');
  if (problem === null) return;
  const { outcome, content } = fieldsOf(problem);
  required(typeof content === 'string');
  oneOf(outcome, ['unknown_tool', 'invalid_arguments']);
}

/** Reads PreToolUse verdicts. One that is not readable is left out, which closes its gate. */
export function readPreToolVerdicts(answer: unknown): PortOutputs['preToolUse'] {
  return byCall(answer, (entry): PreToolVerdict => {
    const { verdict, context = [], reasons = [], input } = fieldsOf(entry);
    const notes = notesOf(reasons);
    required(isJson(input));
    const kind = oneOf(verdict, ['proceed', 'ask', 'block', 'failed']);
    return {
      verdict: kind,
      context: notesOf(context),
      // A question without words is a question all the same.
      reasons: kind !== 'proceed' && notes.length === 0 ? [NO_REASON] : notes,
      input: input as Json,
    };
  });
}

/** Reads facts. Without a time no approval could be judged, so then there are none. */
export function readInspection(answer: unknown): Inspection {
  return reading(
    () => {
      const { at, facts } = fieldsOf(answer);
      return { at: timeOf(at), facts: byCall(facts, readFacts) };
    },
    { at: 0, facts: {} },
  );
}

function readFacts(entry: unknown): Inspection['facts'][string] {
  const { ok, facts, error } = fieldsOf(entry);
  if (ok !== true) return { ok: false, error: toErrorData(error, 'facts_unavailable') };
  required(isJson(fieldsOf(facts)));
  return { ok, facts: facts as Facts };
}

/** Reads when a deadline passed; without a time, `now`. */
export function readDeadline(answer: unknown, now: number): PortOutputs['approvalDeadline'] {
  return reading(() => ({ at: timeOf(fieldsOf(answer).at) }), { at: now });
}

/** Reads a tool's result; what is none is an `error`, since the tool did run. */
export function readToolOutput(answer: unknown): ToolOutput {
  return reading(
    () => {
      const { outcome, content = '', ms = 0, at = 0 } = fieldsOf(answer);
      required(typeof content === 'string');
      const known = oneOf(outcome, ['ok', 'error', 'timeout', 'unknown', 'not_started']);
      return { outcome: known, content: content as string, ms: timeOf(ms), at: timeOf(at) };
    },
    { outcome: 'error', content: '', ms: 0, at: 0 },
  );
}

/** PostToolUse verdicts as read. */
export interface ReadPostToolVerdicts {
  readonly verdicts: ByCall<Partial<PostToolVerdict>>;
  /** Says so when something could not be read. */
  readonly faults: readonly ErrorData[];
}

/** Reads PostToolUse verdicts. One that is not readable is left out; `faults` says so. */
export function readPostToolVerdicts(answer: unknown): ReadPostToolVerdicts {
  const verdicts = byCall(answer, (entry) => {
    const { content, context = [], faults = [] } = fieldsOf(entry);
    required(content === undefined || typeof content === 'string');
    return {
      ...(typeof content === 'string' ? { content } : {}),
      context: notesOf(context),
      faults: listOf(faults).map((fault) => toErrorData(fault, 'hook_failed')),
    };
  });
  const given = reading(() => Object.keys(fieldsOf(answer)).length, -1);
  const isWhole = given === Object.keys(verdicts).length;
  return { verdicts, faults: isWhole ? [] : [UNREADABLE_POST_TOOL] };
}

/** Reads a Stop verdict; one that is not readable is `failed`. */
export function readStopVerdict(answer: unknown): PortOutputs['stop'] {
  return reading(
    () => {
      const { verdict, reasons = [] } = fieldsOf(answer);
      return { verdict: oneOf(verdict, ['allow', 'block', 'failed']), reasons: notesOf(reasons) };
    },
    { verdict: 'failed', reasons: [NO_ANSWER.Stop] },
  );
}

const NO_ANSWER = {
  UserPromptSubmit: { source: 'UserPromptSubmit', text: 'no answer' },
  Stop: { source: 'Stop', text: 'no answer' },
} as const satisfies Record<string, ContextNote>;

const NO_REASON: ContextNote = { source: 'PreToolUse', text: 'no reason given' };

const UNREADABLE_POST_TOOL: ErrorData = {
  code: 'hook_failed',
  message: 'The PostToolUse port answered what cannot be read; the results stay as they are.',
};
