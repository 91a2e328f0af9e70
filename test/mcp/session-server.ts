import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

/** How the server of a test answers. */
export interface SessionBehaviour {
  /** With what it refuses a request of a session that it does not know. */
  readonly refusal?: { readonly status: number; readonly words: string };
  /** Answers a call; `ran` tells how many calls have run, this one counted. */
  readonly call?: (response: ServerResponse, message: Message, ran: number) => void;
}

export const json = (response: ServerResponse, body: unknown) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

export const result = (id: unknown, words: string) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: words }] },
});

/** A server over HTTP, written by hand, that can forget its sessions. It lists one tool, `pay`. */
export async function startSessionServer({
  refusal = { status: 404, words: 'Session not found' },
  call = (response, { id }, ran) => void json(response, result(id, `paid ${ran}`)),
}: SessionBehaviour = {}) {
  const sessions = new Set<string>();
  const log: string[] = [];
  const state = { accepts: true, greets: true, ran: 0, opened: 0 };

  const answer = (response: ServerResponse, message: Message, session: string | undefined) => {
    const { id, method } = message;
    log.push(`${method} ${session ?? '-'}`);
    if (method === 'initialize') {
      if (!state.greets) return response.writeHead(503).end('not now');
      state.opened += 1;
      const name = `s${state.opened}`;
      if (state.accepts) sessions.add(name);
      response.setHeader('mcp-session-id', name);
      const serverInfo = { name: 'shop', version: '1' };
      const protocolVersion = '2025-06-18';
      const capabilities = { tools: {} };
      return json(response, {
        jsonrpc: '2.0',
        id,
        result: { protocolVersion, capabilities, serverInfo },
      });
    }
    if (id === undefined) return response.writeHead(202).end();
    if (session === undefined || !sessions.has(session))
      return response.writeHead(refusal.status).end(refusal.words);
    if (method === 'ping') return json(response, { jsonrpc: '2.0', id, result: {} });
    if (method === 'tools/list') {
      const tools = [{ name: 'pay', inputSchema: { type: 'object' } }];
      return json(response, { jsonrpc: '2.0', id, result: { tools } });
    }
    state.ran += 1;
    return call(response, message, state.ran);
  };

  const http = createServer(async (request, response) => {
    if (request.method === 'DELETE')
      log.push(`DELETE ${String(request.headers['mcp-session-id'])}`);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const text = (await request.toArray()).join('');
    const session = request.headers['mcp-session-id'];
    answer(response, JSON.parse(text), Array.isArray(session) ? session[0] : session);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const { port } = http.address() as AddressInfo;
  /** As after a restart. */
  const forget = () => {
    sessions.clear();
    log.length = 0;
  };
  return { url: `http://127.0.0.1:${port}/mcp`, log, state, forget };
}
