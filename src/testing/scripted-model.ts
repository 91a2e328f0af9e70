import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { Json } from '../../machines/vocabulary/json.ts';
import type {
  ModelDelta,
  ModelErrorCode,
  ModelReply,
  ModelRequest,
  NativeCall,
  RequestRecord,
  Usage,
} from '../../machines/vocabulary/model.ts';
import { measureRequest } from '../model/measure-request.ts';
import type { GenerateOptions, Model } from '../model/model.types.ts';
import { orAborted } from '../support/abort.ts';

/** A reply of the script. Without `calls` it is a text. */
export interface ScriptedReply {
  readonly text?: string;
  /** Native calls; an object as arguments is written as JSON, a text stays as it is. */
  readonly calls?: readonly {
    readonly name: string;
    readonly arguments: Json;
    readonly id?: string | null;
  }[];
  /** Streamed before the text, and not part of the reply. */
  readonly reasoning?: string;
  /** Default null: not told. */
  readonly usage?: Usage | null;
  /** Default `tool_calls` with calls, else `stop`. */
  readonly finishReason?: ModelReply['finishReason'];
}

/** A failure of the script. `retryable` is false unless said. */
export interface ScriptedError {
  readonly error: {
    readonly code: ModelErrorCode;
    readonly message?: string;
    readonly retryable?: boolean;
  };
}

type ScriptedResult = string | ScriptedReply | ScriptedError;

/** One step: what is answered to one request. A function makes it from the request. */
export type ScriptedStep =
  | string
  | ((request: ModelRequest) => ScriptedResult | Promise<ScriptedResult>)
  | ((ScriptedReply | ScriptedError) & {
      /** Looks at the request; what it throws fails the request, and `assertDone` throws it again. */
      readonly expect?: (request: ModelRequest) => void;
      /** Keeps the reply back until it is released. */
      readonly hold?: Hold;
    });

/** Keeps a reply back. */
export interface Hold {
  /** Resolves once the model has been asked and waits. */
  readonly reached: Promise<void>;
  release(): void;
}

/** A model that follows a script. */
export interface ScriptedModel extends Model {
  /** Every request so far, in order, as it was given. */
  readonly requests: readonly ModelRequest[];
  /** Throws when steps are left, naming them, or when a request was unexpected. */
  assertDone(): void;
}

interface InternalHold extends Hold {
  reach(): void;
  readonly released: Promise<void>;
}

/** A hold for one step of a scripted model. */
export function hold(): Hold {
  let reach = (): void => {};
  let release = (): void => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const created: InternalHold = {
    reached,
    released,
    reach: () => reach(),
    release: () => release(),
  };
  return created;
}

/**
 * A strict double for tests: answers each request with the next step, streamed in small pieces.
 * A request beyond the script and an expectation that throws reject as `bad_request`, not
 * retryable, and make `assertDone` throw, so that an engine that turns errors into outcomes
 * cannot hide them. Aborts with the signal, also while held.
 */
export function scriptedModel(
  steps: readonly ScriptedStep[],
  { name = 'scripted', deltaLength = 16 }: { name?: string; deltaLength?: number } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const problems: Error[] = [];

  const refuse = (problem: Error, request: ModelRequest): never => {
    problems.push(problem);
    throw scriptedError({ code: 'bad_request', message: problem.message }, request);
  };

  return {
    name,
    requests,
    async generate(request, options) {
      throwIfAborted(options.signal, request);
      const step = steps[requests.length];
      requests.push(request);
      if (step === undefined) return refuse(unexpected(request, requests.length, steps), request);
      if (typeof step === 'object' && step.hold) {
        await held(step.hold as InternalHold, options.signal, request);
      }
      let result: ScriptedResult;
      try {
        if (typeof step === 'object') step.expect?.(request);
        result = typeof step === 'function' ? await step(request) : step;
      } catch (thrown) {
        return refuse(thrown instanceof Error ? thrown : new Error(String(thrown)), request);
      }
      throwIfAborted(options.signal, request);
      const reply = typeof result === 'string' ? { text: result } : result;
      if ('error' in reply) throw scriptedError(reply.error, request);
      return speak(reply, request, { ...options, name, deltaLength });
    },
    assertDone() {
      if (problems[0]) throw problems[0];
      const unused = steps.slice(requests.length);
      if (unused.length === 0) return;
      const first = requests.length + 1;
      const lines = unused.map((step, index) => `${first + index}. ${describe(step)}`);
      throw new Error(
        `scriptedModel: ${unused.length} of ${steps.length} steps were not used:\n${lines.join('\n')}`,
      );
    },
  };
}

async function speak(
  reply: ScriptedReply,
  request: ModelRequest,
  { signal, onDelta, name, deltaLength }: GenerateOptions & { name: string; deltaLength: number },
): Promise<ModelReply> {
  const calls = (reply.calls ?? []).map(toNativeCall);
  const text = reply.text ?? '';
  for (const delta of deltasOf(reply.reasoning ?? '', text, { calls, deltaLength })) {
    throwIfAborted(signal, request);
    onDelta?.(delta);
    // Lets others run between two pieces, as a network does.
    await Promise.resolve();
  }
  throwIfAborted(signal, request);
  const finishReason = reply.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  const record = { ...measureRequest(request), usage: reply.usage ?? null, error: null, ms: 0 };
  return { text, calls, finishReason, model: name, requests: [record] };
}

function* deltasOf(
  reasoning: string,
  text: string,
  { calls, deltaLength }: { calls: readonly NativeCall[]; deltaLength: number },
): Generator<ModelDelta> {
  for (const piece of pieces(reasoning, deltaLength)) yield { kind: 'reasoning', text: piece };
  for (const piece of pieces(text, deltaLength)) yield { kind: 'text', text: piece };
  for (const [index, call] of calls.entries()) {
    const [first = '', ...others] = pieces(call.arguments, deltaLength);
    yield { kind: 'call', index, tool: call.name, text: first };
    for (const piece of others) yield { kind: 'call', index, text: piece };
  }
}

function pieces(text: string, length: number): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += length) found.push(text.slice(at, at + length));
  return found;
}

function toNativeCall(call: NonNullable<ScriptedReply['calls']>[number]): NativeCall {
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  return { id: call.id ?? null, name: call.name, arguments: text };
}

async function held(waiting: InternalHold, signal: AbortSignal, request: ModelRequest) {
  waiting.reach();
  await orAborted(waiting.released, signal).catch(() => {});
  throwIfAborted(signal, request);
}

function throwIfAborted(signal: AbortSignal, request: ModelRequest): void {
  if (signal.aborted) throw scriptedError({ code: 'aborted', message: 'cancelled' }, request);
}

function scriptedError(error: ScriptedError['error'], request: ModelRequest) {
  const message = error.message ?? `scripted ${error.code}`;
  const record: RequestRecord = {
    ...measureRequest(request),
    usage: null,
    error: `${error.code}: ${message}`,
    ms: 0,
  };
  return new AgentHubError<ModelErrorCode>(error.code, message, {
    retryable: error.retryable ?? false,
    requests: [{ ...record, usage: null }],
  });
}

function unexpected(request: ModelRequest, count: number, steps: readonly ScriptedStep[]): Error {
  const last = request.messages.at(-1);
  return new Error(
    `scriptedModel: request ${count} was not expected: the script has ${steps.length} step(s). ` +
      `The last message is ${last ? `${last.role}: ${JSON.stringify(last.content.slice(0, 200))}` : 'missing'}`,
  );
}

function describe(step: ScriptedStep): string {
  if (typeof step === 'function') return 'a function';
  return JSON.stringify(step, (key, value) =>
    key === 'hold' || typeof value === 'function' ? undefined : value,
  ).slice(0, 200);
}
