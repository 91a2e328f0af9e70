import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Answer, chunk, json, stream, testEndpoint } from '../model/endpoint.ts';
import { collect, MAIN, startNode } from './node-process.ts';
import { pictureFolder, temporaryFolder } from './temporary.ts';

/** Runs are kept in a folder of their own: never here, and not among a test's pictures. */
const STORES = mkdtempSync(join(tmpdir(), 'agenthub-process-'));
afterAll(() => rmSync(STORES, { recursive: true, force: true }));

function start(args: readonly string[], { cwd = '.', env = {} as Record<string, string> } = {}) {
  const store = { AGENTHUB_STORE: join(STORES, 'runs.db') };
  return startNode([MAIN, ...args], { cwd, env: { ...store, ...env } });
}

async function endpoint(...answers: Answer[]) {
  const served = await testEndpoint(...answers);
  const env = {
    AGENTHUB_PROVIDER: 'openai',
    AGENTHUB_MODEL: 'm',
    AGENTHUB_BASE_URL: served.baseURL,
    AGENTHUB_API_KEY: 'key',
  };
  return { ...served, env };
}

const oneTry = { 'agenthub.config.json': { model: { maxRetries: 0 } } };
const scale = (output: string, index = 0) => ({
  index,
  id: `c${index}`,
  function: {
    name: 'image_scaling',
    arguments: JSON.stringify({ input: 'photo.png', output, width: 32 }),
  },
});

describe('exit codes of a real process', () => {
  it('0: the answer on stdout, no cursor codes anywhere', async () => {
    const { ended } = start(['run', 'how do I get an invoice?']);
    const { code, out, err } = await ended;
    expect(code).toBe(0);
    expect(out).toContain('Source: en/invoices.md');
    expect(out + err).not.toContain('\u001b');
  });

  it('0: a streamed answer of a model, as JSON, with its key in the request', async () => {
    const usage = { ...chunk({}, 'stop'), usage: { prompt_tokens: 1180, completion_tokens: 88 } };
    const { env, received } = await endpoint(
      stream([chunk({ content: 'hel' }), chunk({ content: 'lo' }), usage]),
    );
    const { code, out, err } = await start(['run', 'hi', '--json'], { env }).ended;
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({
      status: 'done',
      answer: 'hello',
      usage: { inputTokens: 1180, outputTokens: 88 },
    });
    expect(received[0]?.headers.authorization).toBe('Bearer key');
  });

  it.each([
    ['1: the request was refused', 1, 400, /^The run failed: bad_request: /mu],
    ['4: the key was refused', 4, 401, /^The run failed: auth: /mu],
    ['5: the model is not available', 5, 503, /^The run is suspended: model_unavailable /mu],
  ])('%s', async (_, expected, status, complaint) => {
    const { env } = await endpoint(json(status, { error: { message: 'no' } }));
    const cwd = await temporaryFolder(oneTry);
    const { code, out, err } = await start(['run', 'hi'], { env, cwd }).ended;
    expect([code, out]).toEqual([expected, '']);
    expect(err).toMatch(complaint);
  });

  it('2: configuration', async () => {
    const { code, err } = await start(['run', 'hi'], { env: { AGENTHUB_PROTOCOL: 'xml' } }).ended;
    expect([code, err]).toEqual([
      2,
      'agenthub: AGENTHUB_PROTOCOL: protocol: "xml" is not allowed; allowed: "native-calls" | "react-text"\n',
    ]);
  });

  it('3: nobody could be asked', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const task = 'Resize photo.png to 32 px wide and save it as small.png';
    expect((await start(['run', task], { cwd }).ended).code).toBe(3);
  });

  it('4: no key', async () => {
    const { code } = await start(['run', 'hi', '--provider', 'glm', '--model', 'glm-4.6']).ended;
    expect(code).toBe(4);
  });
});

describe('a real SIGINT', () => {
  it('in the middle of callModel exits with 130; what the model says then starts nothing', async () => {
    const cwd = await pictureFolder('photo.png');
    let reply = (_: ServerResponse): void => {};
    const asked = new Promise<ServerResponse>((settle) => {
      reply = settle;
    });
    const { env, received } = await endpoint((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(chunk({ content: 'I will' }))}\n\n`);
      reply(response);
    });
    const { child, ended } = start(['run', 'scale it'], { cwd, env });
    const response = await asked;
    const closed = new Promise((settle) => response.on('close', settle));
    child.kill('SIGINT');
    const call = chunk({ tool_calls: [scale('small.png')] }, 'tool_calls');
    response.end(`data: ${JSON.stringify(call)}\n\ndata: [DONE]\n\n`);
    const { code, signal, out, err } = await ended;
    await closed;
    expect([code, signal, out]).toEqual([130, null, '']);
    expect(err).toContain('The run was cancelled.');
    expect(await readdir(cwd)).toEqual(['photo.png']);
    expect(received).toHaveLength(1);
  });

  it('while tools run aborts them, and those that wait for their turn never start', async () => {
    const cwd = await pictureFolder('photo.png');
    const outputs = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.png`);
    const calls = outputs.map((output, index) => scale(output, index));
    const { env, received } = await endpoint(stream([chunk({ tool_calls: calls }, 'tool_calls')]));
    const service = await silentService(4);
    const { origin } = service;
    const file = { imageService: { url: `${origin}/scale` }, allowedServices: [origin] };
    const config = await temporaryFolder({ 'slow.json': file });
    const args = ['run', 'scale them', '--config', `${config}/slow.json`];
    const { child, ended } = start(args, { cwd, env });
    await service.busy;
    child.kill('SIGINT');
    const { code } = await ended;
    await service.quiet;
    expect([code, service.started, received.length]).toEqual([130, 4, 1]);
    expect(await readdir(cwd)).toEqual(['photo.png']);
  });
});

describe('outputs that go away', () => {
  it('a closed pipe ends a stream of events without a word', async () => {
    const { env } = await endpoint((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const piece = `data: ${JSON.stringify(chunk({ content: 'and so on ' }))}\n\n`;
      // The model goes on for as long as somebody listens.
      const speak = () => {
        if (!response.destroyed) response.write(piece, () => setImmediate(speak));
      };
      speak();
    });
    const { child, ended } = start(['run', 'hi', '--json-stream'], { env });
    await new Promise((settle) => child.stdout?.once('data', settle));
    child.stdout?.destroy();
    const { code, err } = await ended;
    expect([code, err]).toEqual([130, '']);
  });

  it.runIf(existsSync('/dev/full'))('a full disk is a failure', async () => {
    const child = spawn('/bin/sh', ['-c', `"${process.execPath}" "${MAIN}" graph > /dev/full`]);
    const { code, err } = await collect(child);
    expect(code).toBe(1);
    expect(err).toMatch(/^agenthub: stdout: ENOSPC/u);
  });
});

/** A service that takes requests and never answers. */
async function silentService(expected: number) {
  let [started, open] = [0, 0];
  let [isBusy, isQuiet] = [(): void => {}, (): void => {}];
  const busy = new Promise<void>((settle) => {
    isBusy = settle;
  });
  const quiet = new Promise<void>((settle) => {
    isQuiet = settle;
  });
  const server = createServer((request, response) => {
    started += 1;
    open += 1;
    response.on('close', () => {
      open -= 1;
      if (open === 0) isQuiet();
    });
    request.resume().on('end', () => {
      if (started === expected) isBusy();
    });
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    busy,
    quiet,
    get started() {
      return started;
    },
  };
}
