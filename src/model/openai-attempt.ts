import type OpenAI from 'openai';
import type { ModelDelta, Usage } from '../../machines/vocabulary/model.ts';
import { orAborted, type TimeLimit, type Timers, timeLimit } from '../support/abort.ts';
import { describeError, type Failure, failure, statusFailure } from './openai-errors.ts';
import { type Reading, readCompletion, streamReader } from './openai-reply.ts';
import { eventStreamReader } from './server-sent-events.ts';

/** How one HTTP request ended. */
export type Attempt = Reading;

interface AttemptOptions {
  readonly signal: AbortSignal;
  /** Milliseconds of silence, before the first byte and between two. */
  readonly timeout: number;
  /** Measure the silence; the clock's by default. */
  readonly timers?: Timers | undefined;
  send(delta: ModelDelta): void;
}

/** A reply longer than this many characters is refused. */
const LONGEST_REPLY = 32_000_000;

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParams;

/** Makes one HTTP request and reads its reply. Never rejects. */
export async function attemptRequest(
  client: OpenAI,
  body: Body,
  { signal, timeout, timers, send }: AttemptOptions,
): Promise<Attempt> {
  const silence = timeLimit(timeout, { signal, ...(timers && { timers }) });
  let usage: Usage | null = null;
  let began = false;
  try {
    const asked = client.chat.completions.create(body, { signal: silence.signal }).asResponse();
    const response = await heard(asked, silence);
    began = true;
    const pieces = textPieces(response, silence);
    if (!isEventStream(response, body)) return await readWhole(pieces, { body, send });
    const reader = streamReader(body.model);
    const events = eventStreamReader();
    for await (const piece of pieces) {
      for (const data of events(piece)) {
        const failed = reader.take(data, send);
        usage = reader.usage();
        if (failed) return { ok: false, usage, failure: failed };
      }
    }
    return reader.finish();
  } catch (thrown) {
    return { ok: false, usage, failure: thrownFailure(thrown, { began, signal, silence }) };
  } finally {
    // Frees the connection of a reply that was not read to its end.
    silence.abandon();
  }
}

async function readWhole(
  pieces: AsyncIterable<string | null>,
  { body, send }: { readonly body: Body; send(delta: ModelDelta): void },
): Promise<Reading> {
  let text = '';
  for await (const piece of pieces) text += piece ?? '';
  const reading = readCompletion(text, body.model);
  if (!reading.ok) return reading;
  const { reply } = reading;
  if (reply.text !== '') send({ kind: 'text', text: reply.text });
  reply.calls.forEach((call, index) => {
    send({ kind: 'call', index, tool: call.name, text: call.arguments });
  });
  return reading;
}

function isEventStream(response: Response, body: Body): boolean {
  const type = response.headers.get('content-type') ?? '';
  if (/\bevent-stream\b/iu.test(type)) return true;
  return body.stream === true && !/\b(json|html)\b/iu.test(type);
}

/** The body as text, piece by piece, then `null`. */
async function* textPieces(
  response: Response,
  silence: TimeLimit,
): AsyncGenerator<string | null, void> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let characters = 0;
  try {
    while (reader) {
      const { done, value } = await heard(reader.read(), silence);
      if (done) break;
      const piece = decoder.decode(value, { stream: true });
      characters += piece.length;
      if (characters > LONGEST_REPLY) throw new ReplyTooLong();
      yield piece;
    }
    yield decoder.decode();
    yield null;
  } finally {
    // Also when the reader of the pieces stops early: the connection must not stay open.
    reader?.cancel().catch(() => {});
  }
}

class ReplyTooLong extends Error {}

/** Waits for one thing, and starts the time anew when it is there. */
async function heard<Value>(work: Promise<Value>, silence: TimeLimit): Promise<Value> {
  const value = await orAborted(work, silence.signal);
  silence.renew();
  return value;
}

function thrownFailure(
  thrown: unknown,
  { began, signal, silence }: { began: boolean; signal: AbortSignal; silence: TimeLimit },
): Failure {
  if (signal.aborted) return failure('aborted', 'cancelled');
  const mayRetry = !began;
  if (silence.isTimeout()) return failure('unavailable', 'nothing arrived in time', { mayRetry });
  if (thrown instanceof ReplyTooLong) return failure('bad_response', 'the reply is too long');
  const { status, headers, error, message } = thrown as Partial<
    InstanceType<typeof OpenAI.APIError>
  >;
  if (typeof status === 'number') {
    // The package puts the status before what the endpoint said.
    const said = describeError(error) || String(message ?? '').replace(`${status} `, '');
    return statusFailure(status, said, headers ?? null);
  }
  if (began) return failure('unavailable', 'the connection was cut in the middle of the reply');
  return failure('unavailable', `no connection${causeOf(thrown)}`, { mayRetry });
}

/** Node's `fetch failed` hides the reason two causes deep. */
function causeOf(thrown: unknown): string {
  let current: unknown = thrown;
  let found = '';
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const { code } = current as { code?: unknown };
    found = typeof code === 'string' ? code : found;
    current = current.cause;
  }
  return found === '' ? '' : ` (${found})`;
}
