import { z } from 'zod';
import { AgentHubError, toErrorData } from '../../../machines/vocabulary/errors.ts';
import { LONGEST_TIMER } from '../../../machines/vocabulary/time.ts';
import { type ConnectedServer, connectServer } from './connect-server.ts';
import { loadSdk } from './load-sdk.ts';
import { CONNECT_TIMEOUT, checkSettings, type McpProblem, type McpTools } from './mcp-tools.ts';
import { checkServers, type McpServer } from './server-config.ts';

/** How servers are connected. Times are milliseconds. */
export interface ConnectMcpOptions {
  /** Servers that may be missing: one that cannot be connected becomes a problem, not an error. */
  readonly optional?: readonly string[] | undefined;
  /** For each server: starting it, greeting it and listing its tools. Default 30 seconds. */
  readonly connectTimeout?: number | undefined;
  /** For each call; default one minute. The server is told when it passes. */
  readonly timeout?: number | undefined;
  /** The most tools taken from one server; a longer list is refused. Default 128. */
  readonly maxTools?: number | undefined;
  /** What servers write to their standard error, as it comes: untrusted text. */
  readonly onStderr?: ((server: string, text: string) => void) | undefined;
}

/** Connected servers. */
export interface McpConnection extends McpTools {
  /** Ends sessions and processes; calls under way end as `error`. Never rejects. */
  close(): Promise<void>;
}

const OPTIONS: Readonly<Record<keyof ConnectMcpOptions, true>> = {
  optional: true,
  connectTimeout: true,
  timeout: true,
  maxTools: true,
  onStderr: true,
};

/**
 * Connects MCP servers, all at once, and makes their tools an agent's. `servers` is the `mcpServers`
 * object as hosts write it. The tools are those listed now; give each a policy, or it is denied.
 * The connection keeps Node running until it is closed.
 * @throws AgentHubError `mcp_unavailable` naming every server that cannot be connected and is not
 * optional, when all others have been closed again; `mcp_sdk_missing`; `invalid_options`.
 */
export async function connectMcp(
  servers: Readonly<Record<string, McpServer>>,
  options: ConnectMcpOptions = {},
): Promise<McpConnection> {
  const configs = checkServers(servers);
  const { optional, connectTimeout } = checkOptions(options, [...configs.keys()]);
  const given = { ...checkSettings(options), connectTimeout, onStderr: options.onStderr };
  const sdk = await loadSdk();
  const attempts = await Promise.all(
    [...configs].map(([server, config]) =>
      connectServer(config, { ...given, server, sdk }).catch((error: unknown): McpProblem => {
        const { message } = toErrorData(error, 'mcp_unavailable');
        return { server, tool: null, message };
      }),
    ),
  );
  const connected = attempts.filter((one): one is ConnectedServer => 'close' in one);
  const failed = attempts.filter((one): one is McpProblem => 'message' in one);
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= Promise.all(connected.map((one) => one.close())).then(() => {});
    return closing;
  };
  const missing = failed.filter(({ server }) => !optional.includes(server));
  if (missing.length > 0) {
    await close();
    throw new AgentHubError('mcp_unavailable', missing.map(({ message }) => message).join('\n'), {
      servers: missing.map(({ server }) => server),
    });
  }
  const tools = connected.flatMap((one) => one.tools);
  return { tools, problems: [...failed, ...connected.flatMap((one) => one.problems)], close };
}

function checkOptions(options: ConnectMcpOptions, servers: readonly string[]) {
  const strays = Object.keys(options).filter((name) => !Object.hasOwn(OPTIONS, name));
  const { optional = [], connectTimeout = CONNECT_TIMEOUT } = options;
  const problems = strays.map((name) => `${name}: there is no such option`);
  const unknown = optional.filter((name) => !servers.includes(name));
  problems.push(...unknown.map((name) => `optional: there is no server ${name}`));
  if (!z.number().int().min(1).max(LONGEST_TIMER).safeParse(connectTimeout).success)
    problems.push(`connectTimeout: must be whole milliseconds from 1 to ${LONGEST_TIMER}`);
  if (problems.length > 0) throw new AgentHubError('invalid_options', problems.join('\n'));
  return { optional, connectTimeout };
}
