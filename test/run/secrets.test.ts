import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openaiModel } from '../../src/model/index.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import { noteTool } from './support.ts';

const KEY = 'zhipu-0123456789abcdef.SECRETSECRET';
const HEADER = 'extra-header-SECRETSECRET-value';

let folder = '';
let server: Server;
let answers: ((response: ServerResponse, authorization: string) => void)[] = [];
let asked = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agenthub-secrets-'));
  asked = 0;
  server = createServer((request, response) => {
    request.resume();
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    expect(request.headers.authorization).toBe(`Bearer ${KEY}`);
    answer?.(response, `${request.headers.authorization} ${request.headers['x-extra']}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const json = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

const reply = (response: ServerResponse, message: object) =>
  json(response, 200, {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'glm',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });

const call = (response: ServerResponse) =>
  reply(response, {
    content: null,
    tool_calls: [
      { id: 'c', type: 'function', function: { name: 'note', arguments: '{"text":"a"}' } },
    ],
  });

/** A run on a real file; gives its end and every byte that was written. */
async function stored() {
  const { port } = server.address() as AddressInfo;
  const store = sqliteStore({ path: join(folder, 'runs.db') });
  const agent = createAgent({
    store,
    model: openaiModel({
      apiKey: KEY,
      baseURL: `http://127.0.0.1:${port}/v1`,
      model: 'glm',
      stream: false,
      maxRetries: 0,
      headers: { 'x-extra': HEADER },
    }),
    tools: [noteTool().tool],
    permissions: { policies: { note: 'allow' } },
  });
  const outcome = await agent.start('task', { runId: 'run' }).outcome;
  const log = await store.read('run');
  await store.close();
  const bytes = Buffer.concat(
    readdirSync(folder).map((name) => readFileSync(join(folder, name))),
  ).toString('latin1');
  return { outcome, log, bytes };
}

function expectNoSecret(bytes: string): void {
  expect(bytes.length).toBeGreaterThan(4_000);
  for (const secret of [KEY, HEADER, 'SECRETSECRET', 'Bearer zhipu'])
    expect(bytes.includes(secret)).toBe(false);
}

describe('an API key never reaches the store', () => {
  it('in a run that goes well', async () => {
    answers = [call, (response) => reply(response, { content: 'done' })];
    const { outcome, bytes } = await stored();
    expect(outcome.status).toBe('done');
    expectNoSecret(bytes);
  });

  it.each<[string, (response: ServerResponse, authorization: string) => void, string]>([
    [
      'a refusal that echoes it',
      (response, authorization) =>
        json(response, 401, {
          error: {
            code: 'invalid',
            message: `Bad header Authorization: ${authorization} (${KEY})`,
          },
        }),
      'failed',
    ],
    [
      'an error page that echoes the headers',
      (response, authorization) => {
        response.writeHead(500, { 'content-type': 'text/html', 'x-echo': authorization });
        response.end(`<pre>Authorization: ${authorization}\nkey=${encodeURIComponent(KEY)}</pre>`);
      },
      'suspended',
    ],
    [
      'an error within a good response',
      (response, authorization) =>
        json(response, 200, { error: { message: `no balance for ${authorization}` } }),
      'suspended',
    ],
    [
      'a response that is none',
      (response, authorization) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`{"echo": "${authorization}"`);
      },
      'suspended',
    ],
  ])('in %s', async (_, answer, status) => {
    answers = [answer];
    const { outcome, log, bytes } = await stored();
    expect(outcome.status).toBe(status);
    // The failure itself is on record.
    expect(JSON.stringify(log)).toContain('xstate.error.actor.callModel');
    expectNoSecret(bytes);
  });
});
