import { type IncomingMessage, request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { RunPage } from '../../src/inspector/api.types.ts';
import { type StartInspectorOptions, startInspector } from '../../src/inspector/index.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { answer, callNote } from '../run/support.ts';
import { asks, startRun, untilStoredQuestion } from './seed.ts';

/** A started inspector and how to speak to it, rightly or wrongly. */
export async function inspected(
  store: RunStore = memoryStore(),
  options: Pick<StartInspectorOptions, 'restore'> = {},
) {
  const inspector = await startInspector({ store, ...options });
  onTestFinished(() => inspector.close());
  const { host, port, hash } = new URL(inspector.url);
  const token = new URLSearchParams(hash.slice(1)).get('token') ?? '';
  const right = { host, authorization: `Bearer ${token}` };
  const ask = (path: string, { method = 'GET', headers = {}, body = '' }: Asked = {}) =>
    new Promise<Answered>((resolve, reject) => {
      const sent = Object.fromEntries(
        Object.entries({ ...right, ...headers }).filter(([, value]) => value !== null),
      ) as Record<string, string>;
      const asked = request(
        { port, host: '127.0.0.1', path, method, headers: sent },
        (response) => {
          read(response).then(resolve, reject);
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });
  const command = (path: string, body: unknown, headers: Asked['headers'] = {}) =>
    ask(path, {
      method: 'POST',
      headers: { origin: `http://${host}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const get = async <Value>(path: string) => (await ask(path)).json as Value;
  return { ...inspector, ask, command, get, host, port: Number(port), token };
}

export interface Asked {
  readonly method?: string;
  /** Null leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly json: unknown;
  readonly code: string | undefined;
}

async function read(response: IncomingMessage): Promise<Answered> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('latin1');
  const isJson =
    text !== '' && response.headers['content-type']?.startsWith('application/json') === true;
  const json: unknown = isJson ? JSON.parse(Buffer.concat(chunks).toString()) : null;
  const code = (json as { error?: { code: string } } | null)?.error?.code;
  return { status: response.statusCode ?? 0, headers: response.headers, text, json, code };
}

/** A run that waits for a word about each of its notes, and the inspector of its store. */
export async function waiting(texts: readonly string[] = ['a', 'b']) {
  const { run, store, started } = startRun([callNote(...texts), answer('ok')], asks);
  await untilStoredQuestion(run);
  const server = await inspected(store);
  const path = `/api/runs/${run.id}`;
  const page = await server.get<RunPage>(path);
  return { run, store, started, server, path, page };
}
