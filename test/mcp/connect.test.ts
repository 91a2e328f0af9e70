import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type ConnectMcpOptions,
  connectMcp,
  type McpServer,
} from '../../src/integrations/mcp/index.ts';
import { startHttpServer } from './http-server.ts';
import { desk, execute, fixture } from './support.ts';

const run = promisify(execFile);

/** Connects for one test. */
async function connect(servers: Record<string, McpServer>, options: ConnectMcpOptions = {}) {
  const connection = await connectMcp(servers, options);
  onTestFinished(() => connection.close());
  const tool = (name: string) => connection.tools.find((one) => one.name === name);
  return { ...connection, tool, names: connection.tools.map(({ name }) => name) };
}

/** Where a process says that it is there, by being connected, and what resolves when it has ended. */
async function watch() {
  const server = createServer();
  const ended = once(server, 'connection').then(([socket]) => once(socket.resume(), 'close'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { port: String((server.address() as AddressInfo).port), ended };
}

describe('a server that is a process', () => {
  it('is started, greeted, listed and called; close() ends it', async () => {
    const { port, ended } = await watch();
    const { tool, names, problems, close } = await connect({
      desk: { ...desk, env: { WATCH: port } },
    });
    expect(names).toEqual(['desk__add', 'desk__environment', 'desk__pid', 'desk__die']);
    expect(problems).toEqual([]);
    expect(await execute(tool('desk__add'), { a: 2, b: 3 })).toBe('5');
    await close();
    await ended;
    await expect(execute(tool('desk__add'), { a: 2, b: 3 })).rejects.toMatchObject({
      code: 'mcp_disconnected',
    });
    await close();
  });

  it('gets the variables it is given and the few that programs need; no key of ours', async () => {
    const keys = ['AGENTHUB_API_KEY', 'OPENAI_API_KEY', 'ZHIPUAI_API_KEY', 'AGENTHUB_STORE'];
    for (const key of keys) process.env[key] = 'secret';
    onTestFinished(() => {
      for (const key of keys) delete process.env[key];
    });
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'agenthub-mcp-')));
    onTestFinished(() => rm(cwd, { recursive: true }));
    const { tool } = await connect({ desk: { ...desk, env: { TOKEN: 'given' }, cwd } });
    const { cwd: folder, ...seen } = JSON.parse(String(await execute(tool('desk__environment'))));
    expect(folder).toBe(cwd);
    expect(seen).toMatchObject({ TOKEN: 'given', PATH: process.env.PATH });
    const passed = ['TOKEN', 'HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
    // Platforms add a few of their own to every process.
    const own = ['PWD', 'SHLVL', '_', '__CF_USER_TEXT_ENCODING'];
    expect(Object.keys(seen).filter((key) => ![...passed, ...own].includes(key))).toEqual([]);
    expect(JSON.stringify(seen)).not.toContain('secret');
  });

  it('writes to its standard error without reaching our terminal', async () => {
    const said: string[] = [];
    await connect({ desk }, { onStderr: (server, text) => said.push(`${server}: ${text}`) });
    expect(said).toEqual(['desk: desk is open\u001b[2J\n']);
  });

  it('that dies during a call fails the call at once, and every later one', async () => {
    const { tool } = await connect({ desk });
    await expect(execute(tool('desk__die'))).rejects.toMatchObject({
      code: 'mcp_disconnected',
      message: 'The connection to desk was lost during the call; it may have taken effect.',
    });
    await expect(execute(tool('desk__pid'))).rejects.toMatchObject({
      message: 'There is no connection to desk any more; nothing was sent.',
    });
  });

  it('does not outlive us, even when it ignores the end of its input', async () => {
    const { port, ended } = await watch();
    const args = ['--import', 'tsx', fixture('host.mjs'), fixture('stdio-server.mjs'), port];
    await run(process.execPath, args);
    await ended;
  });
});

describe('a server that cannot be connected is named, with the reason', () => {
  it.each<[string, McpServer, string]>([
    [
      'a command that does not exist',
      { command: 'no-such-command', args: ['--token', 'secret'] },
      'x: the command no-such-command was not found',
    ],
    [
      'a folder that does not exist',
      { ...desk, cwd: '/no/such/folder' },
      'x: its folder /no/such/folder does not exist (cwd)',
    ],
    [
      'a program that ends at once',
      {
        command: process.execPath,
        args: ['-e', 'console.error("no\\u001b[2J config"); process.exit(1)'],
      },
      `x: the command ${process.execPath} gave no server: MCP error -32000: Connection closed. It said: no\\u{1b}[2J config`,
    ],
  ])('%s', async (_, server, message) => {
    await expect(connectMcp({ x: server })).rejects.toMatchObject({
      code: 'mcp_unavailable',
      message,
      details: { servers: ['x'] },
    });
  });

  it('nobody at the address', async () => {
    const http = await startHttpServer();
    await http.stop();
    const server = { url: `${http.url}?key=secret`, headers: { authorization: 'secret' } };
    await expect(connectMcp({ x: server })).rejects.toMatchObject({
      code: 'mcp_unavailable',
      message: `x: ${http.url}: fetch failed (ECONNREFUSED)`,
    });
  });

  it('one that never answers', async () => {
    const silent = { command: process.execPath, args: [fixture('silent-server.mjs')] };
    await expect(connectMcp({ silent }, { connectTimeout: 200 })).rejects.toMatchObject({
      code: 'mcp_unavailable',
      message: expect.stringMatching(
        /^silent: it did not answer within 200 ms \(connectTimeout\)(?:\. It said: waiting)?$/u,
      ),
    });
  });

  it('all of them in one error, after the others have been closed', async () => {
    const http = await startHttpServer();
    const servers = {
      web: { url: http.url },
      x: { command: 'no-such' },
      y: { command: 'nor-this' },
    };
    await expect(connectMcp(servers)).rejects.toMatchObject({
      message: 'x: the command no-such was not found\ny: the command nor-this was not found',
      details: { servers: ['x', 'y'] },
    });
    expect(http.log).toContain('DELETE');
  });

  it('unless it may be missing: then it is a problem, and the others are there', async () => {
    const http = await startHttpServer();
    const { names, problems } = await connect(
      { x: { command: 'no-such' }, web: { url: http.url } },
      { optional: ['x'] },
    );
    expect(names).toEqual(['web__whoami', 'web__wait', 'web__stream']);
    expect(problems).toEqual([
      { server: 'x', tool: null, message: 'x: the command no-such was not found' },
    ]);
  });
});

describe('a server that is an endpoint', () => {
  it('is spoken to with its headers; close() ends the session', async () => {
    const http = await startHttpServer();
    const { tool, names, close } = await connect({
      web: { type: 'http', url: http.url, headers: { 'x-key': 'k1' } },
    });
    expect(names).toEqual(['web__whoami', 'web__wait', 'web__stream']);
    expect(await execute(tool('web__whoami'))).toBe('k1');
    await close();
    expect(http.log.at(-1)).toBe('DELETE');
  });

  it('that refuses us says so, and what to look at', async () => {
    const http = await startHttpServer({ refuse: 401 });
    await expect(connectMcp({ web: { url: http.url } })).rejects.toMatchObject({
      message: `web: ${http.url}: HTTP 401: not for you; check its headers, or, where it wants OAuth, connect a client of the SDK of your own and give it to mcpTools`,
    });
  });

  it.each(['wait', 'stream'])(
    'that goes away during a call ends the call (%s), and can be called when it is back',
    async (name) => {
      const http = await startHttpServer();
      const { tool } = await connect({ web: { url: http.url } });
      const waiting = execute(tool(`web__${name}`));
      waiting.catch(() => {});
      await http.called;
      await http.stop();
      await expect(waiting).rejects.toMatchObject({
        code: 'mcp_disconnected',
        message: expect.stringMatching(/^The connection to web was lost .*may have taken effect/u),
      });
      await http.again();
      expect(await execute(tool('web__whoami'))).toBe('nobody');
    },
  );
});

describe('what cannot be right is refused before anything starts', () => {
  it.each<[unknown, string]>([
    [null, 'servers: give an object of servers by name, { files: { command: … } }.'],
    [{ 'my files': desk }, 'servers: "my files" is no name for a server'],
    [{ x: {} }, 'servers: x: give either command (a process) or url (an endpoint).'],
    [{ x: { command: 'a', url: 'https://b.example' } }, 'servers: x: give either command'],
    [{ mcpServers: { x: desk } }, 'servers: mcpServers: give either command'],
    [{ x: { command: 'a', autoApprove: ['*'] } }, 'servers: x: Unrecognized key: "autoApprove"'],
    [{ x: { command: 'a', disabled: true } }, 'servers: x: Unrecognized key: "disabled"'],
    [{ x: { command: 'a', args: 'b' } }, 'servers: x.args: '],
    [{ x: { url: 'ftp://b.example' } }, 'servers: x.url: an http or https URL'],
    [{ x: { url: 'https://user:secret@b.example' } }, 'servers: x.url: an http or https URL'],
    [{ x: { type: 'sse', url: 'https://b.example' } }, 'servers: x.type: '],
    [
      { x: { url: 'https://b.example', headers: { key: 'a\nsecret' } } },
      'servers: x.headers: names and values that HTTP can carry',
    ],
  ])('%j', async (servers, message) => {
    const error = await connectMcp(servers as never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining(message),
    });
    expect(String(error)).not.toContain('secret');
  });

  it.each<[object, string]>([
    [{ optional: ['y'] }, 'optional: there is no server y'],
    [{ connectTimeout: 0 }, 'connectTimeout: must be whole milliseconds from 1 to 2147483647'],
    [{ timeOut: 5 }, 'timeOut: there is no such option'],
    [{ maxTools: 0 }, 'maxTools: '],
  ])('%j', async (options, message) => {
    await expect(connectMcp({ x: desk }, options)).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining(message),
    });
  });
});

it('without the SDK, which is optional, it says how to get it', async () => {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', fixture('no-sdk.mjs')]);
  expect(stdout).toBe(
    'mcp_sdk_missing: agenthub/mcp needs the MCP SDK, which could not be loaded: npm install @modelcontextprotocol/sdk',
  );
});
