import type { ModelDelta, ModelReply, NativeCall, Usage } from '../../machines/vocabulary/model.ts';
import { addCallFragment, assembledCalls, emptyCalls } from './openai-calls.ts';
import { bodyFailure, type Failure, failure } from './openai-errors.ts';

/** A reply without the requests it took. */
export type PlainReply = Omit<ModelReply, 'requests'>;

/** How a response ended; the usage is kept also when the reply is not. */
export type Reading = { readonly usage: Usage | null } & (
  | { readonly ok: true; readonly reply: PlainReply }
  | { readonly ok: false; readonly failure: Failure }
);

type Fields = Record<string, unknown>;

/** Reads the body of a reply that came in one piece. */
export function readCompletion(body: string, model: string): Reading {
  const completion = parseObject(body);
  if (completion === null) return unreadable('is not a JSON object', body);
  if (completion.error) return { ok: false, usage: null, failure: bodyFailure(completion.error) };
  const usage = readUsage(completion.usage);
  const choice = firstChoice(completion);
  const message = choice?.message;
  if (!isFields(choice) || !isFields(message)) {
    return { ...unreadable('has no choices[0].message', body), usage };
  }
  const broken = brokenFinish(choice.finish_reason);
  if (broken) return { ok: false, usage, failure: broken };
  const calls = emptyCalls();
  callsIn(message).forEach((call: unknown, index) => {
    if (isFields(call)) addCallFragment(calls, { ...call, index });
  });
  const text = contentText(message.content) || contentText(message.refusal);
  const reply = toReply(text, assembledCalls(calls), choice.finish_reason);
  return { ok: true, usage, reply: { ...reply, model: modelName(completion) ?? model } };
}

/** Puts a streamed reply together, one event at a time. */
export interface StreamReader {
  /** Takes the data of one event. A failure ends the stream. */
  take(data: string, send: (delta: ModelDelta) => void): Failure | null;
  /** The reply, once the stream has ended. One that stops in the middle is `unavailable`. */
  finish(): Reading;
  /** What was reported so far. */
  usage(): Usage | null;
}

/** `model` is the name used when the endpoint does not give one. */
export function streamReader(model: string): StreamReader {
  const calls = emptyCalls();
  let text = '';
  let name = model;
  let usage: Usage | null = null;
  let finishReason: unknown = null;
  let events = 0;
  let closed = false;

  const takeDelta = (delta: Fields, send: (delta: ModelDelta) => void): void => {
    const reasoning = contentText(delta.reasoning_content) || contentText(delta.reasoning);
    if (reasoning !== '') send({ kind: 'reasoning', text: reasoning });
    const piece = contentText(delta.content) || contentText(delta.refusal);
    if (piece !== '') {
      text += piece;
      send({ kind: 'text', text: piece });
    }
    for (const fragment of callsIn(delta)) {
      const added = addCallFragment(calls, fragment);
      if (!added) continue;
      const { tool, ...call } = added;
      send({ kind: 'call', ...call, ...(tool === null ? {} : { tool }) });
    }
  };

  return {
    take(data, send) {
      if (closed) return null;
      if (data.trim().startsWith('[DONE]')) {
        closed = true;
        return null;
      }
      const chunk = parseObject(data);
      if (chunk === null)
        return unreadable('holds an event that is not a JSON object', data).failure;
      if (chunk.error) return bodyFailure(chunk.error);
      events += 1;
      name = modelName(chunk) ?? name;
      // Some endpoints report in every chunk, growing: the last one counts.
      usage = readUsage(chunk.usage) ?? usage;
      const choice = firstChoice(chunk);
      if (!choice) return null;
      finishReason = choice.finish_reason ?? finishReason;
      if (isFields(choice.delta)) takeDelta(choice.delta, send);
      return brokenFinish(finishReason);
    },
    finish() {
      if (events === 0) {
        return { ok: false, usage, failure: failure('bad_response', 'the stream held no events') };
      }
      if (finishReason === null && !closed) {
        const cut = failure('unavailable', 'the stream ended in the middle of the reply');
        return { ok: false, usage, failure: cut };
      }
      const reply = toReply(text, assembledCalls(calls), finishReason);
      return { ok: true, usage, reply: { ...reply, model: name } };
    },
    usage: () => usage,
  };
}

/** The calls of a message or a delta; `function_call` is how one was told before there were several. */
function callsIn({ tool_calls: calls, function_call: old }: Fields): readonly unknown[] {
  if (Array.isArray(calls) && calls.length > 0) return calls;
  return isFields(old) ? [{ index: 0, function: old }] : [];
}

function toReply(text: string, calls: readonly NativeCall[], finishReason: unknown) {
  return { text, calls, finishReason: readFinishReason(finishReason) };
}

const FINISH_REASONS: Readonly<Record<string, ModelReply['finishReason']>> = {
  stop: 'stop',
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  /** GLM's word for it. */
  sensitive: 'content_filter',
};

function readFinishReason(value: unknown): ModelReply['finishReason'] {
  return (typeof value === 'string' && FINISH_REASONS[value]) || 'unknown';
}

/** Finish reasons by which GLM and DeepSeek say that the model itself broke off. */
function brokenFinish(value: unknown): Failure | null {
  if (value !== 'network_error' && value !== 'insufficient_system_resource') return null;
  return failure('unavailable', `the model broke off: ${value}`);
}

/** Tokens as reported; null unless both numbers are there. Never zero for unknown. */
export function readUsage(value: unknown): Usage | null {
  if (!isFields(value)) return null;
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = value;
  return isCount(inputTokens) && isCount(outputTokens) ? { inputTokens, outputTokens } : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function firstChoice(body: Fields): Fields | null {
  const choice = Array.isArray(body.choices) ? body.choices[0] : null;
  return isFields(choice) ? choice : null;
}

function modelName(body: Fields): string | null {
  return typeof body.model === 'string' && body.model !== '' ? body.model : null;
}

/** Text, or the text of an array of content parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isFields(part) ? contentText(part.text) : '')).join('');
}

function unreadable(what: string, body: string) {
  const shown = body.trim().slice(0, 200);
  const message = `the reply ${what}${shown === '' ? ' (it is empty)' : `: ${shown}`}`;
  return { ok: false, usage: null, failure: failure('bad_response', message) } as const;
}

function parseObject(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
