import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { toGraph } from '../../machines/agent/agent.graph.ts';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import type { AnswerReply, RunList, RunPage, StepDetail } from '../../src/inspector/api.types.ts';
import { type Inspector, startInspector } from '../../src/inspector/index.ts';
import { createDefaultTools } from '../../src/run/default-tools.ts';
import { foldLog } from '../../src/run/fold.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { answer, callNote } from '../run/support.ts';
import { asks, startRun, untilStoredQuestion } from './seed.ts';

const open: Inspector[] = [];
afterEach(async () => {
  for (const inspector of open.splice(0)) await inspector.close();
});

/** A started inspector and how to speak to it, rightly or wrongly. */
async function inspected(store: RunStore = memoryStore()) {
  const inspector = await startInspector({ store });
  open.push(inspector);
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

interface Asked {
  readonly method?: string;
  /** Null leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string;
}

interface Answered {
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

/** Sends bytes as they are and gives the status of every answer. */
function raw(port: number, bytes: string): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (text.includes('\r\n\r\n')) socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () =>
      resolve([...text.matchAll(/^HTTP\/1\.1 (\d+)/gmu)].map((match) => Number(match[1]))),
    );
  });
}

async function waiting(texts: readonly string[] = ['a', 'b']) {
  const { run, store, started } = startRun([callNote(...texts), answer('ok')], asks);
  await untilStoredQuestion(run);
  const server = await inspected(store);
  const path = `/api/runs/${run.id}`;
  const page = await server.get<RunPage>(path);
  return { run, store, started, server, path, page };
}

describe('who may speak to the inspector', () => {
  it('serves the page to a browser on its own address, and says what may be in it', async () => {
    const { ask } = await inspected();
    const page = await ask('/', { headers: { authorization: null } });
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    const policy = String(page.headers['content-security-policy']);
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(rule);
    expect(page.headers['access-control-allow-origin']).toBeUndefined();
    expect(page.headers['set-cookie']).toBeUndefined();
  });

  it.each([
    ['a rebound name', 'evil.example'],
    ['a rebound name with the port', 'evil.example:PORT'],
    ['localhost', 'localhost:PORT'],
    ['another port', '127.0.0.1:1'],
    ['none', null],
  ])('refuses a wrong Host: %s', async (_, host) => {
    const { ask, port, token } = await inspected();
    if (host === null) {
      const bytes = `GET /api/runs HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      expect(await raw(port, bytes)).toEqual([403]);
      return;
    }
    const refused = await ask('/api/runs', { headers: { host: host.replace('PORT', `${port}`) } });
    expect([refused.status, refused.code]).toEqual([403, 'wrong_host']);
    const page = await ask('/', { headers: { host: host.replace('PORT', `${port}`) } });
    expect(page.status).toBe(403);
  });

  it('refuses two Host headers and an absolute address', async () => {
    const { port, host, token } = await inspected();
    const rest = `Authorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
    const twice = `GET /api/runs HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n${rest}`;
    expect((await raw(port, twice))[0]).toBeGreaterThanOrEqual(400);
    const absolute = `GET http://evil.example/api/runs HTTP/1.1\r\nHost: ${host}\r\n${rest}`;
    expect(await raw(port, absolute)).toEqual([404]);
  });

  it.each(['http://evil.example', 'null', 'https://127.0.0.1', 'http://127.0.0.1'])(
    'refuses the origin %s, also for reading',
    async (origin) => {
      const { ask, command } = await inspected();
      const refused = await ask('/api/runs', { headers: { origin } });
      expect([refused.status, refused.code]).toEqual([403, 'wrong_origin']);
      const written = await command('/api/runs/x/cancel', {}, { origin });
      expect([written.status, written.code]).toEqual([403, 'wrong_origin']);
    },
  );

  it('refuses a command that does not say where it comes from', async () => {
    const { command } = await inspected();
    const refused = await command('/api/runs/x/cancel', {}, { origin: null });
    expect([refused.status, refused.code]).toEqual([403, 'no_origin']);
  });

  it.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
    ['none', 200],
  ])('Sec-Fetch-Site %s gives %i', async (site, status) => {
    const { ask } = await inspected();
    expect((await ask('/api/runs', { headers: { 'sec-fetch-site': site } })).status).toBe(status);
  });

  it('needs the token of this start, whole', async () => {
    const { ask, token } = await inspected();
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const other = await inspected();
    for (const authorization of [
      null,
      '',
      'Bearer ',
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token}x`,
      `bearer ${token}`,
      `Basic ${token}`,
      `Bearer ${other.token}`,
    ]) {
      const refused = await ask('/api/runs', { headers: { authorization } });
      expect([refused.status, refused.code]).toEqual([401, 'no_token']);
    }
    const cookie = { authorization: null, cookie: `token=${token}` };
    expect((await ask('/api/runs', { headers: cookie })).status).toBe(401);
    const inQuery = await ask(`/api/runs?token=${token}`, { headers: { authorization: null } });
    expect(inQuery.status).toBe(401);
    expect((await ask('/api/runs')).status).toBe(200);
  });

  it('answers no preflight and gives no CORS header', async () => {
    const { ask } = await inspected();
    const headers = { origin: 'http://evil.example', 'access-control-request-method': 'POST' };
    const preflight = await ask('/api/runs/x/cancel', { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(403);
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-'))).toEqual([]);
  });

  it('cannot be reached on another interface', async () => {
    const { port } = await inspected();
    const others = Object.values(networkInterfaces())
      .flat()
      .flatMap((found) =>
        found && !found.internal && found.family === 'IPv4' ? found.address : [],
      );
    // 127.0.0.2 is another address of the loopback interface on Linux.
    const addresses = process.platform === 'linux' ? ['127.0.0.2', ...others] : others;
    for (const address of addresses) {
      const outcome = await new Promise((resolve) => {
        const socket = connect(port, address, () => {
          socket.destroy();
          resolve('reached');
        });
        socket.on('error', ({ message }) => resolve(message));
      });
      expect(outcome).toContain('ECONNREFUSED');
    }
  });

  it('says in words when the port is in use', async () => {
    const { port } = await inspected();
    await expect(startInspector({ store: memoryStore(), port })).rejects.toMatchObject({
      code: 'port_in_use',
    });
  });
});

describe('paths', () => {
  it.each([
    '/..%2f..%2fpackage.json',
    '/../package.json',
    '//page.js',
    '/page.js/',
    '/PAGE.JS',
    '/%70age.js',
    '/constructor',
    '/__proto__',
    '/api',
    '/api/',
    '/api/other',
    '/api/runs/x/y/z/w',
    '/api/runs/x/steps/-1',
    '/api/runs/%2e%2e/image?which=input&path=/etc/passwd',
    '/api/runs/%E0%A4%A',
  ])('%s names nothing', async (path) => {
    const { ask } = await inspected();
    expect((await ask(path)).status).toBe(404);
  });

  it('takes commands by POST only, and nothing else by any method', async () => {
    const { server, path } = await waiting();
    expect((await server.ask(`${path}/cancel`)).status).toBe(404);
    for (const method of ['PUT', 'DELETE', 'PATCH'])
      expect((await server.ask(`${path}/cancel`, { method })).status).toBe(405);
    expect((await server.ask('/', { method: 'HEAD' })).status).toBe(404);
    expect((await server.command(`${path}/fork`, {})).status).toBe(404);
  });
});

describe('commands', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', null])(
    'refuses a form post: %s',
    async (type) => {
      const { server, path, run } = await waiting();
      const refused = await server.command(`${path}/cancel`, '{}', { 'content-type': type });
      expect(refused.status).toBe(415);
      expect(run.state).toBe('awaitPermission.asking');
    },
  );

  it('refuses a body over 64 KiB, told or not', async () => {
    const { server, path, run } = await waiting();
    const large = JSON.stringify({ reason: 'x'.repeat(64 * 1024) });
    expect((await server.command(`${path}/answer`, large)).status).toBe(413);
    const chunked = { 'transfer-encoding': 'chunked' };
    expect((await server.command(`${path}/answer`, large, chunked)).status).toBe(413);
    expect(run.questions).toHaveLength(2);
  });

  it.each([
    ['not JSON', '{'],
    ['no object', '[]'],
    ['an unknown member', '{"callId":"1.0","answer":"approve","digest":"","by":"root"}'],
    ['an unknown approval', '{"callId":"1.0","answer":"approve","digest":"","approvals":["all"]}'],
  ])('refuses what is no command: %s', async (_, body) => {
    const { server, path } = await waiting();
    expect((await server.command(`${path}/answer`, body)).status).toBe(400);
  });

  it('approves and denies what was shown, and the log says who', async () => {
    const { server, path, page, run, store, started } = await waiting();
    const [first, second] = page.run.questions;
    const approve = { callId: '1.0', answer: 'approve', digest: first?.digest };
    const deny = { callId: '1.1', answer: 'deny', digest: second?.digest, reason: 'not now' };
    const approved = await server.command(`${path}/answer`, approve);
    expect((approved.json as AnswerReply).result).toEqual({ accepted: true });
    expect((await server.command(`${path}/answer`, deny)).status).toBe(200);
    expect((await run.outcome).status).toBe('done');
    expect(started).toEqual(['a']);
    await run.saved();
    const said = (await store.read(run.id)).flatMap((record) =>
      record.kind === 'event' && record.event.type.startsWith('permission.') ? record.event : [],
    );
    expect(said).toMatchObject([
      { type: 'permission.grant', callId: '1.0', by: 'web' },
      { type: 'permission.deny', callId: '1.1', by: 'web', reason: 'not now' },
    ]);
  });

  it('refuses a second answer, a replay, a changed digest, and one for another call', async () => {
    const { server, path, page, started, run } = await waiting();
    const [first, second] = page.run.questions;
    const approve = { callId: '1.0', answer: 'approve', digest: first?.digest };
    const wrong = { ...approve, digest: second?.digest };
    const stale = await server.command(`${path}/answer`, wrong);
    expect([stale.status, stale.code]).toEqual([409, 'stale']);
    expect((await server.command(`${path}/answer`, { ...approve, digest: '' })).code).toBe('stale');
    expect((await server.command(`${path}/answer`, approve)).status).toBe(200);
    for (const again of [approve, { ...approve, answer: 'deny' }]) {
      const refused = await server.command(`${path}/answer`, again);
      expect([refused.status, refused.code]).toEqual([409, 'not_asked']);
    }
    expect(run.questions.map(({ callId }) => callId)).toEqual(['1.1']);
    expect(started).toEqual([]);
  });

  it('takes one of two answers that come at the same time', async () => {
    const { server, path, page, run } = await waiting(['a']);
    const digest = page.run.questions[0]?.digest;
    const answers = await Promise.all(
      ['approve', 'deny', 'approve', 'deny'].map((word) =>
        server.command(`${path}/answer`, { callId: '1.0', answer: word, digest }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 409, 409, 409]);
    expect((await run.outcome).status).toBe('done');
  });

  it('keeps an answer for a run that nobody drives, and refuses the next', async () => {
    const { server, path, page, run, store } = await waiting(['a']);
    await run.close();
    const digest = page.run.questions[0]?.digest;
    const posted = await server.command(`${path}/answer`, {
      callId: '1.0',
      answer: 'deny',
      digest,
    });
    expect(posted.json).toEqual({ result: null, drivenBy: null });
    expect(await store.pending(run.id)).toHaveLength(1);
    const again = await server.command(`${path}/answer`, {
      callId: '1.0',
      answer: 'approve',
      digest,
    });
    expect([again.status, again.code]).toEqual([409, 'not_asked']);
    const later = await server.get<RunPage>(path);
    expect(later.run.questions[0]?.answered).toBe('deny');
  });

  it('stops a run, once', async () => {
    const { server, path, run, started } = await waiting();
    expect((await server.command(`${path}/cancel`, {})).status).toBe(200);
    expect((await run.outcome).status).toBe('cancelled');
    await run.saved();
    expect((await server.command(`${path}/cancel`, {})).code).toBe('ended');
    expect(started).toEqual([]);
  });
});

describe('what is told of a run', () => {
  it('rows, transitions and states as the log folds', async () => {
    const { server, path, run, store, page } = await waiting(['a']);
    const graph = toGraph(agentMachine);
    const names = page.steps.map(({ what, state, transitions }) => ({
      what,
      state,
      took: transitions.map((index) => {
        const { source, target, guard } = graph.transitions[index] ?? {};
        return `${source} > ${target}${guard === null ? '' : ` [${guard}]`}`;
      }),
    }));
    expect(names).toEqual([
      {
        what: 'start',
        state: 'callModel.working',
        took: ['submitPrompt.checking > callModel', 'callModel.checking > callModel.working'],
      },
      { what: 'callModel', state: 'parseReply', took: ['callModel.working > parseReply'] },
      {
        what: 'parseReply',
        state: 'awaitPermission.inspecting',
        took: [
          'parseReply > preToolHook [isCallBatch]',
          'preToolHook.checking > preToolHook.routing',
          'preToolHook.routing > awaitPermission [hasLiveCalls]',
        ],
      },
      {
        what: 'inspectFacts',
        state: 'awaitPermission.asking',
        took: [
          'awaitPermission.inspecting > awaitPermission.deciding',
          'awaitPermission.deciding > awaitPermission.asking [hasQuestions]',
        ],
      },
    ]);
    expect(page.steps[1]?.tokens).toEqual({ input: 10, output: 2 });
    run.approve('1.0', undefined, { by: 'ada' });
    await run.outcome;
    await run.saved();
    const ended = await server.get<RunPage>(path);
    expect(ended.run).toMatchObject({ state: 'done', answer: 'ok', questions: [] });
    expect(ended.steps.map(({ kind, what }) => `${kind} ${what}`).slice(4)).toEqual([
      'person granted 1.0 · ada',
      'engine inspectFacts',
      'engine intent 1.0 (1)',
      'tool note 1.0',
      'model callModel',
      'engine parseReply',
    ]);
    const log = await store.read(run.id);
    for (const [seq] of log.entries()) {
      const detail = await server.get<StepDetail>(`${path}/steps/${seq}`);
      const { context } = foldLog(log.slice(0, seq + 1));
      expect(detail.run.turn).toBe(context.turn);
      expect(detail.record).toEqual(log[seq]);
    }
    const tool = await server.get<StepDetail>(`${path}/steps/7`);
    expect(tool).toMatchObject({ input: { text: 'a' }, output: { content: 'noted a' } });
    const grant = await server.get<StepDetail>(`${path}/steps/4`);
    expect(grant.differences).toContainEqual({
      path: 'calls.0.stage',
      before: 'asked',
      after: 'live',
    });
  });

  it('lists runs by words of the prompt, id, status or tool; waiting ones first', async () => {
    const store = memoryStore();
    const first = startRun([callNote('a'), answer('ok')], { ...asks, store, prompt: 'Eins' });
    await untilStoredQuestion(first.run);
    const second = startRun([answer('ok')], { store, prompt: '第二个任务' });
    await second.run.outcome;
    await second.run.saved();
    const { get } = await inspected(store);
    const ids = async (query: string) =>
      (await get<RunList>(`/api/runs${query}`)).runs.map(({ runId }) => runId);
    expect(await ids('')).toEqual([first.run.id, second.run.id]);
    expect(await ids(`?search=${encodeURIComponent('第二')}`)).toEqual([second.run.id]);
    expect(await ids('?search=NOTE')).toEqual([first.run.id]);
    expect(await ids('?search=waiting')).toEqual([first.run.id]);
    expect(await ids(`?search=${second.run.id}`)).toEqual([second.run.id]);
    expect(await ids('?status=done')).toEqual([second.run.id]);
    expect(await ids('?search=nowhere')).toEqual([]);
  });

  it('shows thumbnails of the files that were inspected, while they are the same', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agenthub-inspector-'));
    const plain = { width: 600, height: 300, channels: 3, background: '#48a' } as const;
    await sharp({ create: plain }).jpeg().toFile(join(folder, 'a.jpg'));
    await sharp({ create: plain }).png().toFile(join(folder, 'b.png'));
    const input = { input: 'a.jpg', output: 'b.png', width: 20 };
    const { run, store } = startRun(
      [{ calls: [{ name: 'image_scaling', arguments: input, id: 'i' }] }, answer('ok')],
      {
        tools: createDefaultTools({ workingFolder: folder, knowledgeFolder: folder }),
        permissions: {},
      },
    );
    await untilStoredQuestion(run);
    const { ask, get } = await inspected(store);
    const path = `/api/runs/${run.id}`;
    const { questions } = (await get<RunPage>(path)).run;
    expect(questions[0]).toMatchObject({
      images: { input: true, output: true },
      reasons: [{ code: 'overwrite_not_approved' }],
    });
    for (const which of ['input', 'output']) {
      const picture = await ask(`${path}/image?call=1.0&which=${which}`);
      expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png']);
      const size = await sharp(Buffer.from(picture.text, 'latin1')).metadata();
      expect([size.width, size.height]).toEqual([240, 120]);
    }
    expect((await ask(`${path}/image?call=9.9&which=input`)).status).toBe(404);
    expect((await ask(`${path}/image?call=1.0&which=/etc/passwd`)).status).toBe(404);
    writeFileSync(join(folder, 'a.jpg'), 'changed');
    expect((await ask(`${path}/image?call=1.0&which=input`)).code).toBe('file_changed');
    run.cancel();
    await run.outcome;
    await run.saved();
    expect((await ask(`${path}/image?call=1.0&which=output`)).status).toBe(404);
    rmSync(folder, { recursive: true });
  });

  it('streams steps with their ids, and goes on after the last one received', async () => {
    const { server, path, run } = await waiting(['a']);
    const stream = (after: number, enough: (text: string) => boolean) =>
      new Promise<string>((resolve, reject) => {
        const headers = {
          host: server.host,
          authorization: `Bearer ${server.token}`,
          'last-event-id': String(after),
        };
        const asked = request(
          { port: server.port, host: '127.0.0.1', path: `${path}/stream`, headers },
          (response) => {
            let text = '';
            response.on('data', (data) => {
              text += String(data);
              if (!enough(text)) return;
              asked.destroy();
              resolve(text);
            });
          },
        );
        asked.on('error', reject);
        asked.end();
      });
    const idsOf = (text: string) =>
      [...text.matchAll(/^id: (\d+)$/gmu)].map(([, id]) => Number(id));
    const all = await stream(-1, (text) => text.includes('event: run'));
    expect(idsOf(all)).toEqual([0, 1, 2, 3]);
    const later = stream(2, (text) => text.includes('"answer":"ok"'));
    run.approve('1.0');
    expect(idsOf(await later)).toEqual([3, 4, 5, 6, 7, 8, 9]);
  });

  it('says which run there is not', async () => {
    const { ask } = await inspected();
    const missing = await ask('/api/runs/nobody');
    expect([missing.status, missing.code]).toEqual([404, 'run_unknown']);
  });
});
