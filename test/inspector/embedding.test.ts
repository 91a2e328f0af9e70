import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunPage } from '../../src/inspector/api.types.ts';
import { createInspectorHandler, type InspectorHandlerOptions } from '../../src/inspector/index.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { answer, callNote } from '../run/support.ts';
import { asks, startRun, untilStoredQuestion } from './seed.ts';

/** A host's server with the inspector on it. */
async function mounted(options: Omit<InspectorHandlerOptions, 'hosts'>) {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const handler = createInspectorHandler({ ...options, hosts: [host] });
  server.on('request', handler);
  onTestFinished(() => {
    handler.close();
    server.closeAllConnections();
    server.close();
  });
  return `http://${host}`;
}

describe('createInspectorHandler', () => {
  it("asks the host who it is, and the log says that person's name", async () => {
    const { run, store } = startRun([callNote('a'), answer('ok')], asks);
    await untilStoredQuestion(run);
    const origin = await mounted({
      store,
      basePath: '/inspector',
      authorize: async ({ headers }) => (headers.cookie === 'session=ada' ? 'ada' : null),
    });
    const path = `${origin}/inspector/api/runs/${run.id}`;
    const headers = { cookie: 'session=ada', origin, 'content-type': 'application/json' };
    expect((await fetch(`${origin}/inspector/`)).status).toBe(200);
    expect((await fetch(`${origin}/`)).status).toBe(404);
    expect((await fetch(`${origin}/inspectorapi/runs`, { headers })).status).toBe(404);
    const stranger = await fetch(path);
    expect([stranger.status, await stranger.json()]).toMatchObject([
      401,
      { error: { code: 'not_authorized' } },
    ]);
    const bare = await fetch(`${origin}/inspector`, { redirect: 'manual' });
    expect([bare.status, bare.headers.get('location')]).toEqual([308, '/inspector/']);
    expect((await fetch(path, { headers: { cookie: 'session=eve' } })).status).toBe(401);
    const page = (await (await fetch(path, { headers })).json()) as RunPage;
    const { callId, digest } = page.run.questions[0] ?? {};
    const body = JSON.stringify({ callId, digest, answer: 'deny' });
    const foreign = { ...headers, origin: 'http://evil.example' };
    const forged = await fetch(`${path}/answer`, { method: 'POST', headers: foreign, body });
    expect(forged.status).toBe(403);
    expect((await fetch(`${path}/answer`, { method: 'POST', headers, body })).status).toBe(200);
    await run.outcome;
    await run.saved();
    const denial = (await store.read(run.id)).find(
      (record) => record.kind === 'event' && record.event.type === 'permission.deny',
    );
    expect(denial).toMatchObject({ event: { by: 'ada' } });
  });

  it.each([
    ['/inspector/', '/inspector/'],
    ['/', '/'],
    ['/a.b+(c)', '/a.b+(c)/'],
  ])('is found under the basePath %s', async (basePath, page) => {
    const origin = await mounted({ store: memoryStore(), token: 't', basePath });
    const found = await fetch(`${origin}${page}`, { redirect: 'manual' });
    expect([found.status, found.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    const headers = { authorization: 'Bearer t' };
    expect((await fetch(`${origin}${page}api/runs`, { headers })).status).toBe(200);
  });

  it.each(['inspector', '//x', '/a b', '/x?y', '/ä'])(
    'is not made with the basePath %s',
    (basePath) => {
      const options = { store: memoryStore(), hosts: ['x'], token: 't', basePath };
      expect(() => createInspectorHandler(options)).toThrow('basePath is a path as in an address');
    },
  );

  it('tells nobody why the host could not say who it is', async () => {
    const authorize = () => {
      throw new Error('connect ECONNREFUSED 10.0.0.7:5432');
    };
    const origin = await mounted({ store: memoryStore(), authorize });
    const refused = await fetch(`${origin}/api/runs`);
    expect([refused.status, await refused.json()]).toEqual([
      500,
      {
        error: {
          code: 'authorization_failed',
          message: 'Who you are could not be found out.',
        },
      },
    ]);
  });

  it('is not made without authorization', () => {
    expect(() => createInspectorHandler({ store: memoryStore(), hosts: ['x'] })).toThrow(
      'give a token, authorize, or both',
    );
  });
});
