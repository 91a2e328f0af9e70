import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { EmptyResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';

/** A server on loopback: `whoami` tells the header `x-key`, `wait` and `stream` never answer. */
export async function startHttpServer({ refuse }: { readonly refuse?: number } = {}) {
  const log: string[] = [];
  let reached = (): void => {};
  const called = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const sessions = new Map<string, StreamableHTTPServerTransport>();

  const open = async () => {
    const server = new McpServer({ name: 'web', version: '1' });
    server.registerTool('whoami', {}, ({ requestInfo }) => ({
      content: [{ type: 'text', text: String(requestInfo?.headers['x-key'] ?? 'nobody') }],
    }));
    server.registerTool('wait', {}, () => {
      reached();
      return new Promise(() => {});
    });
    server.registerTool('stream', {}, async ({ sendRequest }) => {
      // What the client answers shows that it reads the stream that will break off.
      await sendRequest({ method: 'ping' }, EmptyResultSchema);
      reached();
      return new Promise(() => {});
    });
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await server.connect(transport as never);
    return transport;
  };

  const http: HttpServer = createServer(async (request, response) => {
    log.push(request.method ?? '');
    if (refuse !== undefined) {
      response.writeHead(refuse).end('not for you');
      return;
    }
    const known = sessions.get(String(request.headers['mcp-session-id']));
    await (known ?? (await open())).handleRequest(request, response);
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  const stop = async () => {
    const closed = new Promise((resolve) => http.close(resolve));
    http.closeAllConnections();
    await closed;
  };
  await listen(0);
  onTestFinished(stop);
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, log, called, stop, again: () => listen(port) };
}
