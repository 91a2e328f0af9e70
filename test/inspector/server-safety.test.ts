import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { startInspector } from '../../src/inspector/index.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { inspected, waiting } from './inspected.ts';

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
