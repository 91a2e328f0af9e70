import { OpenCalls } from './open-calls.ts';

/** A longer answer is not read: memory is ours, and what a model reads of it is far less. */
export const MOST_ANSWER_BYTES = 10 * 1024 * 1024;

/**
 * `fetch`, with a bound on every message that comes, and with an end to a call whose stream of
 * events ends without an answer: of both, the SDK would say nothing to the one who waits.
 */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.ok || response.body === null) return response;
  const isStream = /^text\/event-stream\b/iu.test(response.headers.get('content-type') ?? '');
  const body = response.body.pipeThrough(watched(isStream));
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

function watched(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  const call = OpenCalls.current();
  let bytes = 0;
  let isResumable = false;
  return new TransformStream({
    transform(chunk, controller) {
      const text = isStream ? Buffer.from(chunk).toString('latin1') : '';
      const ended = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\r\n\r\n'));
      isResumable ||= /(?:^|\n)id:/u.test(text);
      bytes = ended === -1 ? bytes + chunk.length : chunk.length - ended;
      if (bytes <= MOST_ANSWER_BYTES) return controller.enqueue(chunk);
      call?.lose('too_long');
      controller.error(new Error(`the answer is longer than ${MOST_ANSWER_BYTES} bytes`));
    },
    flush() {
      // Not at once: what came last is still being read. A stream with ids is taken up again.
      if (isStream && !isResumable) setImmediate(() => call?.lose('broken_off'));
    },
  });
}
