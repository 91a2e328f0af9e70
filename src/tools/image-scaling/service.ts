import { Buffer } from 'node:buffer';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { timeLimit } from '../../support/abort.ts';
import type { CheckedAddress } from './image-scaling.types.ts';

/** What is asked of a service: `POST` multipart with `image` and the JSON text `params`. */
export interface ServiceRequest {
  readonly url: string;
  /** The address that was checked; connected to whatever the name resolves to by then. */
  readonly address: CheckedAddress;
  readonly image: Uint8Array;
  /** The image's media type, such as `image/png`. */
  readonly mediaType: string;
  readonly params: Readonly<Record<string, string | number>>;
  /** Lets the service drop a repeated request. */
  readonly idempotencyKey: string;
  /** Milliseconds for the whole exchange. */
  readonly timeout: number;
  /** Bytes of the answer. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Why an answer's status is not accepted, or null. Redirects are not followed, to anywhere. Pure. */
export function findAnswerProblem(status: number): string | null {
  if (status === 200) return null;
  if (status >= 300 && status < 400) return `it redirected (${status}), which is not followed`;
  return `it answered with status ${status}`;
}

/**
 * Asks a service and answers the bytes of its body, unchecked. Throws `service_failed`,
 * `service_timeout` or `service_too_large`, or the signal's reason.
 */
export async function askService(ask: ServiceRequest): Promise<Uint8Array> {
  ask.signal.throwIfAborted();
  const form = new FormData();
  form.set('image', new Blob([ask.image], { type: ask.mediaType }), 'image');
  form.set('params', JSON.stringify(ask.params));
  const encoded = new Response(form);
  const body = Buffer.from(await encoded.arrayBuffer());
  const reason = () => timedOut(ask.timeout);
  const limit = timeLimit(ask.timeout, { signal: ask.signal, reason });
  try {
    ask.signal.throwIfAborted();
    const type = encoded.headers.get('content-type') ?? '';
    const answer = await send(ask, { body, type, signal: limit.signal });
    return await readBody(answer, ask.maxBytes);
  } catch (error) {
    if (limit.signal.aborted) throw limit.signal.reason;
    if (error instanceof AgentHubError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw failed(`it cannot be reached or broke off (${code ?? message})`, error);
  } finally {
    limit.abandon();
  }
}

function send(
  ask: ServiceRequest,
  content: { readonly body: Buffer; readonly type: string; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const start = new URL(ask.url).protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = start(ask.url, {
      method: 'POST',
      agent: false,
      lookup: pinTo(ask.address),
      signal: content.signal,
      headers: {
        accept: 'image/*',
        'content-type': content.type,
        'content-length': content.body.length,
        'idempotency-key': ask.idempotencyKey,
      },
    });
    request.on('response', resolve);
    request.on('error', reject);
    request.end(content.body);
  });
}

/** The checked address for every lookup: the name is not resolved a second time. */
function pinTo({ address, family }: CheckedAddress): LookupFunction {
  return (_host, options, done) => {
    if (options.all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

async function readBody(answer: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const problem = findAnswerProblem(answer.statusCode ?? 0);
  if (problem !== null) throw failed(problem);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new AgentHubError(
        'service_too_large',
        `The image service sent more than ${maxBytes} bytes; the answer was dropped.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function failed(text: string, cause?: unknown): AgentHubError {
  return new AgentHubError(
    'service_failed',
    `The image service failed: ${text}.`,
    undefined,
    cause,
  );
}

function timedOut(timeout: number): AgentHubError {
  return new AgentHubError(
    'service_timeout',
    `The image service did not finish within ${timeout} ms.`,
  );
}
