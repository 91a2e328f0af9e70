import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request as an endpoint got it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

export type Answer = (response: ServerResponse, received: Received) => void;

/** A loopback endpoint that answers each request with the next of `answers`, and 599 after them. */
export async function startEndpoint(...answers: Answer[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const got = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text) };
      received.push(got);
      const answer = answers[received.length - 1];
      if (answer) answer(response, got);
      else response.writeHead(599).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { baseURL: `http://127.0.0.1:${port}/v1`, received, stop };
}

/** The same, until the end of the test. */
export async function testEndpoint(...answers: Answer[]) {
  const { baseURL, received, stop } = await startEndpoint(...answers);
  onTestFinished(stop);
  return { baseURL, received };
}

/** Answers with a status, a JSON body and headers. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Answers with a stream of chunks; a text is sent as it is. */
export function stream(chunks: readonly unknown[], end: 'done' | 'cut' | 'close' = 'done'): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of chunks) {
      response.write(typeof chunk === 'string' ? chunk : `data: ${JSON.stringify(chunk)}\n\n`);
    }
    if (end === 'done') response.end('data: [DONE]\n\n');
    else if (end === 'close') response.end();
    // Destroyed once the pieces are on their way.
    else response.write(': cut here\n\n', () => setImmediate(() => response.destroy()));
  };
}

/** A chunk of a stream with one choice. */
export function chunk(delta: unknown, finishReason: string | null = null) {
  return { model: 'served-model', choices: [{ index: 0, delta, finish_reason: finishReason }] };
}
