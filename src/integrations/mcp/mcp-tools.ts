import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { z } from 'zod';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { JsonObject, Locale } from '../../../machines/vocabulary/json.ts';
import { LONGEST_TIMER } from '../../../machines/vocabulary/time.ts';
import { capResult } from '../../tools/cap-result.ts';
import { DEFAULT_TOOL_TIMEOUT, defineTool } from '../../tools/define-tool.ts';
import type { Tool } from '../../tools/tool.types.ts';
import { readResult } from './call-result.ts';
import { explainFailure } from './failures.ts';
import { toInput } from './input-schema.ts';
import { type ListedTool, type Listing, listTools } from './list-tools.ts';
import { NEVER, OpenCalls } from './open-calls.ts';
import { plainLine, plainText } from './plain-text.ts';
import { checkServerName } from './server-config.ts';
import { toolName } from './tool-name.ts';

/** What of the SDK's client is used. */
export type McpClient = Pick<Client, 'request' | 'getServerCapabilities' | 'transport'>;

/** How a server's tools become an agent's. */
export interface McpToolsOptions {
  /** What stands before `__` in every name: letters, digits, `-` and single `_`, 32 at most. */
  readonly server: string;
  /** Milliseconds until a call counts as `timeout`, and the server is told; default one minute. */
  readonly timeout?: number | undefined;
  /** The most tools that are taken; a longer list is refused. Default 128. */
  readonly maxTools?: number | undefined;
}

/** Something a server offered, or a whole server, that was left out. */
export interface McpProblem {
  readonly server: string;
  /** The tool as the server calls it, shortened; null for the whole server. */
  readonly tool: string | null;
  readonly message: string;
}

/** Tools, and what was left out of them. */
export interface McpTools {
  readonly tools: readonly Tool<JsonObject>[];
  readonly problems: readonly McpProblem[];
}

/** Milliseconds for everything before the first call, where nothing else is said. */
export const CONNECT_TIMEOUT = 30_000;

const MOST_TOOLS = 128;
const MOST_DESCRIPTION_BYTES = 4_000;

const settings = z.strictObject({
  timeout: z.number().int().min(1).max(LONGEST_TIMER),
  maxTools: z.number().int().min(1),
});

/**
 * The tools that a connected client's server lists now; what it lists later is not looked at. Every
 * one is not safe to repeat, whatever the server says of it, and needs a policy: without one it is
 * denied. Its facts are `mcpServer` and `mcpTool`. The client stays the host's to close.
 * @throws AgentHubError `mcp_unavailable` when the list cannot be had; `invalid_options`.
 */
export async function mcpTools(client: McpClient, options: McpToolsOptions): Promise<McpTools> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), CONNECT_TIMEOUT);
  try {
    return await toolsOf(client, options, { signal: limit.signal, calls: new OpenCalls() });
  } finally {
    clearTimeout(timer);
  }
}

/** The same, where the connection is ours: the listing ends with `signal`, and calls with `calls`. */
export async function toolsOf(
  client: McpClient,
  options: McpToolsOptions,
  { signal, calls }: Pick<Listing, 'signal' | 'calls'>,
): Promise<McpTools> {
  const server = checkServerName(options.server);
  const { timeout, maxTools } = checkSettings(options);
  const tools = new Map<string, Tool<JsonObject>>();
  const problems: McpProblem[] = [];
  for (const listed of await listTools(client, { server, maxTools, signal, calls })) {
    const leaveOut = (message: string) => {
      const tool = plainLine(listed?.name ?? '?', 100);
      problems.push({ server, tool, message: `${server}: ${tool}: ${message}` });
    };
    if (listed === null) leaveOut('an entry of its list has no name that can be used');
    else if (listed.needsTask) leaveOut('it runs as a task, which is not supported');
    else if (tools.has(toolName(server, listed.name))) leaveOut('it is listed twice');
    else {
      try {
        const tool = toTool(client, listed, { server, timeout, calls });
        tools.set(tool.name, tool);
      } catch (error) {
        leaveOut(`its input schema cannot be used: ${explainFailure(error)}`);
      }
    }
  }
  return { tools: [...tools.values()], problems };
}

/** @throws AgentHubError `invalid_options` naming what is wrong. */
export function checkSettings({ timeout, maxTools }: Partial<McpToolsOptions>) {
  const given = { timeout: timeout ?? DEFAULT_TOOL_TIMEOUT, maxTools: maxTools ?? MOST_TOOLS };
  const checked = settings.safeParse(given);
  if (checked.success) return checked.data;
  const text = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new AgentHubError('invalid_options', text.join('\n'));
}

interface Calling {
  readonly server: string;
  readonly timeout: number;
  readonly calls: OpenCalls;
}

function toTool(client: McpClient, listed: ListedTool, calling: Calling): Tool<JsonObject> {
  const { server, timeout } = calling;
  const told = plainText(listed.description || listed.title).trim();
  const description = (locale: Locale) =>
    told === ''
      ? TEXTS[locale].noDescription(server, plainLine(listed.name))
      : capResult(told, { locale, maxBytes: MOST_DESCRIPTION_BYTES });
  return defineTool<JsonObject>({
    name: toolName(server, listed.name),
    description: { zh: description('zh'), en: description('en') },
    input: toInput(listed.inputSchema),
    timeout,
    inspectFacts: async () => ({ mcpServer: server, mcpTool: listed.name }),
    execute: async (input, { signal, locale }) => {
      const answer = await call(
        client,
        { name: listed.name, input },
        { ...calling, signal, locale },
      );
      return readResult(answer, { server, locale });
    },
  });
}

async function call(
  client: McpClient,
  { name, input }: { readonly name: string; readonly input: JsonObject },
  { server, calls, signal, locale }: Calling & { signal: AbortSignal; locale: Locale },
): Promise<Readonly<Record<string, unknown>>> {
  const texts = TEXTS[locale];
  if (client.transport === undefined)
    throw new AgentHubError('mcp_disconnected', texts.closed(server));
  const open = calls.open(signal);
  try {
    const params = { name, arguments: input };
    const ends = { signal: open.signal, timeout: NEVER };
    // Not `callTool`: that refuses a result for its structured part when the call has taken effect.
    return await client.request({ method: 'tools/call', params }, z.looseObject({}), ends);
  } catch (error) {
    if (open.isLost() || client.transport === undefined)
      throw new AgentHubError('mcp_disconnected', texts.lost(server, ''));
    // A server's own answer has a number; without one, it is the way to it that failed.
    if (typeof (error as { code?: unknown } | null)?.code !== 'number')
      throw new AgentHubError(
        'mcp_disconnected',
        texts.lost(server, ` (${explainFailure(error)})`),
      );
    throw new AgentHubError('mcp_call_failed', texts.failed(server, explainFailure(error)));
  } finally {
    open.close();
  }
}

const TEXTS = {
  zh: {
    noDescription: (server: string, tool: string) =>
      `${server} 的工具 ${tool}，服务器没有给出说明。`,
    closed: (server: string) => `和 ${server} 的连接已经断开；没有发出调用。`,
    lost: (server: string, why: string) =>
      `调用时和 ${server} 的连接断开了${why}；调用可能已经生效。`,
    failed: (server: string, why: string) => `${server} 没有给出结果：${why}`,
  },
  en: {
    noDescription: (server: string, tool: string) =>
      `The tool ${tool} of ${server}; the server gives no description.`,
    closed: (server: string) => `There is no connection to ${server} any more; nothing was sent.`,
    lost: (server: string, why: string) =>
      `The connection to ${server} was lost during the call${why}; it may have taken effect.`,
    failed: (server: string, why: string) => `${server} gave no result: ${why}`,
  },
} as const;
