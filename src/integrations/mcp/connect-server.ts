import { existsSync } from 'node:fs';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { endWithUs } from './child-processes.ts';
import { explainFailure } from './failures.ts';
import type { Sdk } from './load-sdk.ts';
import { type McpTools, type McpToolsOptions, toolsOf } from './mcp-tools.ts';
import { NEVER, OpenCalls } from './open-calls.ts';
import { plainLine } from './plain-text.ts';
import type { McpEndpoint, McpProcess, McpServer } from './server-config.ts';

/** How one server is connected. */
export interface ConnectServerOptions extends McpToolsOptions {
  readonly sdk: Sdk;
  /** Milliseconds for starting, greeting and listing. */
  readonly connectTimeout: number;
  readonly onStderr: ((server: string, text: string) => void) | undefined;
}

/** A server that answers, and its tools. */
export interface ConnectedServer extends McpTools {
  close(): Promise<void>;
}

/** Milliseconds in which a server must say that it is still there, or that a session is over. */
const PATIENCE = 2_000;

/**
 * Starts or reaches one server, greets it and lists its tools.
 * @throws AgentHubError `mcp_unavailable` with the reason; nothing is left running.
 */
export async function connectServer(
  config: McpServer,
  options: ConnectServerOptions,
): Promise<ConnectedServer> {
  const { server, sdk, connectTimeout } = options;
  const client = new sdk.Client({ name: 'agenthub', version: '1' });
  const calls = new OpenCalls();
  const link = 'command' in config ? toProcess(config, options) : toEndpoint(config, options);
  const close = async () => {
    await link.leave();
    await client.close().catch(() => {});
  };
  const ending = new AbortController();
  const limit = ending.signal;
  const timer = setTimeout(() => ending.abort(), connectTimeout);
  try {
    const ends = { signal: limit, timeout: NEVER };
    await orAborted(client.connect(link.transport, ends), limit);
    if ('url' in config) client.onerror = watching(client, calls);
    return { ...(await toolsOf(client, options, { signal: limit, calls })), close };
  } catch (error) {
    await close();
    if (error instanceof AgentHubError && !limit.aborted) throw error;
    const why = limit.aborted
      ? `it did not answer within ${connectTimeout} ms (connectTimeout)`
      : link.explain(error);
    const text = `${server}: ${why}${link.said()}`;
    throw new AgentHubError('mcp_unavailable', text, { servers: [server] });
  } finally {
    clearTimeout(timer);
  }
}

/** A transport, what its failures mean, what its server said beside the protocol, and how to leave. */
interface Link {
  readonly transport: Parameters<InstanceType<Sdk['Client']>['connect']>[0];
  explain(error: unknown): string;
  said(): string;
  leave(): Promise<void>;
}

function toProcess(
  { command, args = [], env, cwd }: McpProcess,
  { server, sdk, onStderr }: ConnectServerOptions,
): Link {
  const transport = new sdk.StdioClientTransport({
    command,
    args: [...args],
    // Piped: a server's words must not reach our terminal as they are.
    stderr: 'pipe',
    ...(env && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
  });
  endWithUs(transport);
  let last = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    const text = chunk.toString('utf8');
    last = (last + text).slice(-2_000);
    onStderr?.(server, text);
  });
  return {
    transport,
    explain: (error) => {
      const isMissing = (error as { code?: unknown } | null)?.code === 'ENOENT';
      if (isMissing && cwd !== undefined && !existsSync(cwd))
        return `its folder ${plainLine(cwd)} does not exist (cwd)`;
      if (isMissing) return `the command ${plainLine(command)} was not found`;
      return `the command ${plainLine(command)} gave no server: ${explainFailure(error)}`;
    },
    said: () => (last.trim() === '' ? '' : `. It said: ${plainLine(last.slice(-500), 500)}`),
    leave: async () => {},
  };
}

function toEndpoint({ url, headers }: McpEndpoint, { sdk }: ConnectServerOptions): Link {
  const at = new URL(url);
  const transport = new sdk.StreamableHTTPClientTransport(at, {
    requestInit: { headers: { ...headers } },
  });
  return {
    // Its `sessionId` is declared as a getter that may give undefined.
    transport: transport as Link['transport'],
    explain: (error) => {
      const { code } = (error ?? {}) as { code?: unknown };
      const advice = code === 401 || code === 403 ? '; check its headers' : '';
      return `${at.origin}${at.pathname}: ${explainFailure(error)}${advice}`;
    },
    said: () => '',
    leave: async () => {
      if (transport.sessionId === undefined) return;
      const ended = transport.terminateSession().catch(() => {});
      await orAborted(ended, AbortSignal.timeout(PATIENCE)).catch(() => {});
    },
  };
}

/**
 * A call over HTTP waits for an answer on a stream; when that breaks, nobody says so. Whatever goes
 * wrong while calls are under way, the server is asked whether it is there; if not, they end.
 */
function watching(client: InstanceType<Sdk['Client']>, calls: OpenCalls): () => void {
  let isAsking = false;
  return () => {
    if (isAsking || calls.isEmpty) return;
    isAsking = true;
    client
      .ping({ timeout: PATIENCE })
      .catch(calls.underWay())
      .finally(() => {
        isAsking = false;
      });
  };
}

async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}
