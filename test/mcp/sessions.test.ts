import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectMcp, mcpTools } from '../../src/integrations/mcp/index.ts';
import { json, result, type SessionBehaviour, startSessionServer } from './session-server.ts';
import { execute, fixture } from './support.ts';

/** A server that has been connected, its tool, and what makes it forget the session. */
async function shop(behaviour: SessionBehaviour = {}) {
  const server = await startSessionServer(behaviour);
  const connection = await connectMcp({ shop: { url: server.url } });
  onTestFinished(() => connection.close());
  return { ...server, tool: connection.tools[0], close: connection.close };
}

const calls = (log: readonly string[]) => log.filter((line) => !line.startsWith('notifications/'));

describe('a session that the server has ended', () => {
  it.each([
    { status: 404, words: 'Session not found' },
    { status: 404, words: '' },
    { status: 400, words: 'Bad Request: No valid session ID provided' },
    { status: 400, words: 'Bad Request: Server not initialized' },
  ])('is followed by a new one, and the call runs once ($status $words)', async (refusal) => {
    const { tool, log, state, forget } = await shop({ refusal });
    expect(await execute(tool)).toBe('paid 1');
    forget();
    expect(await execute(tool)).toBe('paid 2');
    expect(calls(log)).toEqual(['tools/call s1', 'initialize -', 'tools/call s2']);
    expect(await execute(tool)).toBe('paid 3');
    expect(state).toMatchObject({ opened: 2, ran: 3 });
  });

  it('is followed by one new session for all calls that find out together', async () => {
    const { tool, state, forget } = await shop();
    forget();
    const answers = await Promise.all([1, 2, 3, 4].map(() => execute(tool)));
    expect([...answers].sort()).toEqual(['paid 1', 'paid 2', 'paid 3', 'paid 4']);
    expect(state).toMatchObject({ opened: 2, ran: 4 });
  });

  it('is renewed as often as it ends', async () => {
    const { tool, state, forget } = await shop();
    for (const ran of [1, 2, 3]) {
      forget();
      expect(await execute(tool)).toBe(`paid ${ran}`);
    }
    expect(state).toMatchObject({ opened: 4, ran: 3 });
  });

  it('is not asked for without end: a call is made twice at most', async () => {
    const { tool, log, state, forget } = await shop();
    forget();
    state.accepts = false;
    await expect(execute(tool)).rejects.toMatchObject({
      code: 'mcp_disconnected',
      message: 'shop does not know even a new session; the call did not run.',
    });
    expect(calls(log)).toEqual(['tools/call s1', 'initialize -', 'tools/call s2']);
    state.accepts = true;
    expect(await execute(tool)).toBe('paid 1');
  });

  it('that cannot be renewed says why, and is tried anew by the next call', async () => {
    const { tool, state, forget } = await shop();
    forget();
    state.greets = false;
    await expect(execute(tool)).rejects.toMatchObject({
      code: 'mcp_disconnected',
      message: expect.stringMatching(
        /^shop has ended the session, and no new one could be begun \(shop: http:.* HTTP 503: not now\); the call did not run\.$/u,
      ),
    });
    await expect(execute(tool, {}, { locale: 'zh' })).rejects.toMatchObject({
      message: expect.stringMatching(
        /^shop 已经结束了会话，新的会话也没有建立（.*）；调用没有执行。$/u,
      ),
    });
    state.greets = true;
    expect(await execute(tool)).toBe('paid 1');
  });

  it('leaves the new one to be ended by close()', async () => {
    const { tool, log, forget, close } = await shop();
    forget();
    await execute(tool);
    await close();
    expect(log.at(-1)).toBe('DELETE s2');
  });

  it("is the host's to renew where the client is the host's", async () => {
    const server = await startSessionServer();
    const client = new Client({ name: 'host', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)) as never);
    onTestFinished(() => client.close());
    const { tools } = await mcpTools(client, { server: 'shop' });
    server.forget();
    await expect(execute(tools[0])).rejects.toMatchObject({
      code: 'mcp_disconnected',
      message: 'shop has ended the session; the call did not run. It has to be connected again.',
    });
  });

  it('is not what an error of that number means in an answer: the call has run', async () => {
    const { tool, state } = await shop({
      call: (response, { id }) =>
        void json(response, { jsonrpc: '2.0', id, error: { code: 404, message: 'no session' } }),
    });
    await expect(execute(tool)).rejects.toMatchObject({
      code: 'mcp_call_failed',
      message: 'shop gave no result: MCP error 404: no session',
    });
    expect(state).toMatchObject({ opened: 1, ran: 1 });
  });
});

const events = { 'content-type': 'text/event-stream' };
const long = 'x'.repeat(11 * 1024 * 1024);
const tooLong = {
  code: 'mcp_answer_too_long',
  message:
    'What shop answered is longer than 10 MB and was not read; the call may have taken effect.',
};

describe('an answer that cannot be read ends the call, and no other one', () => {
  it.each<[string, NonNullable<SessionBehaviour['call']>, object]>([
    ['longer than is read', (response, { id }) => void json(response, result(id, long)), tooLong],
    [
      'longer than is read, as an event',
      (response, { id }) =>
        void response.writeHead(200, events).end(`data: ${JSON.stringify(result(id, long))}\n\n`),
      tooLong,
    ],
    [
      'a stream that ends without it',
      (response) => void response.writeHead(200, events).end(': nothing to say\n\n'),
      {
        code: 'mcp_disconnected',
        message: 'The answer of shop broke off before its result; the call may have taken effect.',
      },
    ],
    [
      'no message of the protocol, as an event',
      (response, { id }) =>
        void response
          .writeHead(200, events)
          .write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: [] })}\n\n`),
      {
        code: 'mcp_call_failed',
        message:
          'What shop answered has not the form that the protocol gives it; the call may have taken effect.',
      },
    ],
  ])('%s', async (_, call, error) => {
    const { tool } = await shop({
      call: (response, message, ran) =>
        ran === 1 ? call(response, message, ran) : void json(response, result(message.id, 'paid')),
    });
    await expect(execute(tool)).rejects.toMatchObject(error);
    expect(await execute(tool)).toBe('paid');
  });

  it.each([
    ['huge', { code: 'mcp_answer_too_long' }],
    ['list', { code: 'mcp_call_failed', message: expect.stringContaining('has not the form') }],
    ['batch', { code: 'mcp_call_failed', message: expect.stringContaining('has not the form') }],
  ])('of a process: %s', async (name, error) => {
    const args = [fixture('wrong-server.mjs')];
    const { tools, close } = await connectMcp({ shop: { command: process.execPath, args } });
    onTestFinished(close);
    const tool = tools.find((one) => one.name === `shop__${name}`);
    await expect(execute(tool)).rejects.toMatchObject(error);
  });

  it('of a process: lines between the answers are not taken for one', async () => {
    const args = [fixture('wrong-server.mjs')];
    const { tools, close } = await connectMcp({ shop: { command: process.execPath, args } });
    onTestFinished(close);
    expect(await execute(tools.find(({ name }) => name === 'shop__chatty'))).toBe('done');
  });
});
