import { z } from 'zod';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { JsonObject, Locale } from '../../../machines/vocabulary/json.ts';
import { printable, printableLine } from '../../../machines/vocabulary/printable.ts';
import { LONGEST_TIMER } from '../../../machines/vocabulary/time.ts';
import { timeLimit } from '../../support/abort.ts';
import { capResult } from '../../tools/cap-result.ts';
import { DEFAULT_TOOL_TIMEOUT, defineTool } from '../../tools/define-tool.ts';
import type { Tool } from '../../tools/tool.types.ts';
import { readResult } from './call-result.ts';
import { type Calling, callTool, type McpClient, type Sessions } from './call-tool.ts';
import { explainFailure } from './failures.ts';
import { toInput } from './input-schema.ts';
import { type ListedTool, listTools } from './list-tools.ts';
import { OpenCalls } from './open-calls.ts';
import { checkServerName } from './server-config.ts';
import { toolName } from './tool-name.ts';

/** How a server's tools become an agent's. */
export interface McpToolsOptions {
  /** What stands before `__` in every name: letters, digits, `-` and single `_`, 32 at most. */
  readonly server: string;
  /** Milliseconds until a call counts as `timeout`, and the server is told; default one minute. */
  readonly timeout?: number | undefined;
  /** The most tools that are taken; a longer list is refused. Default 128. */
  readonly maxTools?: number | undefined;
}

/** Something a server offered, or a whole server, that was left out; or a tool that is not checked. */
export interface McpProblem {
  readonly server: string;
  /** The tool as the server calls it, shortened; null for the whole server. */
  readonly tool: string | null;
  readonly message: string;
}

/** Tools, and what is to be known of them. */
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
  const limit = timeLimit(CONNECT_TIMEOUT);
  try {
    const current = { client, calls: new OpenCalls() };
    const sessions = { current, canRenew: false, renew: async () => current };
    return await toolsOf(sessions, options, limit.signal);
  } finally {
    limit.end();
  }
}

/** The same, where the connection is ours; the listing ends with `signal`. */
export async function toolsOf(
  sessions: Sessions,
  options: McpToolsOptions,
  signal: AbortSignal,
): Promise<McpTools> {
  const server = checkServerName(options.server);
  const { timeout, maxTools } = checkSettings(options);
  const tools = new Map<string, Tool<JsonObject>>();
  const problems: McpProblem[] = [];
  const { client, calls } = sessions.current;
  for (const listed of await listTools(client, { server, maxTools, signal, calls })) {
    const tell = (message: string) => {
      const tool = printableLine(listed?.name ?? '?', 100);
      problems.push({ server, tool, message: `${server}: ${tool}: ${message}` });
    };
    if (listed === null) tell('an entry of its list has no name that can be used');
    else if (listed.needsTask) tell('it runs as a task, which is not supported');
    else if (tools.has(toolName(server, listed.name))) tell('it is listed twice');
    else {
      try {
        const { input, unchecked } = toInput(listed.inputSchema);
        const tool = toTool({ ...listed, input }, { server, timeout, sessions });
        tools.set(tool.name, tool);
        if (unchecked !== null) tell(`its arguments are left to the server: ${unchecked}`);
      } catch (error) {
        tell(`its input schema cannot be used: ${explainFailure(error)}`);
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

interface UsableTool extends ListedTool {
  readonly input: z.ZodType<JsonObject>;
}

function toTool(listed: UsableTool, calling: Calling): Tool<JsonObject> {
  const { server, timeout } = calling;
  const told = printable(listed.description || listed.title).trim();
  const description = (locale: Locale) =>
    told === ''
      ? TEXTS[locale].noDescription(server, printableLine(listed.name, 200))
      : capResult(told, { locale, maxBytes: MOST_DESCRIPTION_BYTES });
  return defineTool<JsonObject>({
    name: toolName(server, listed.name),
    description: { zh: description('zh'), en: description('en') },
    input: listed.input,
    timeout,
    inspectFacts: async () => ({ mcpServer: server, mcpTool: listed.name }),
    execute: async (input, { signal, locale }) => {
      const request = { name: listed.name, input };
      const answer = await callTool(request, { ...calling, signal, locale });
      return readResult(answer, { server, locale });
    },
  });
}

const TEXTS = {
  zh: {
    noDescription: (server: string, tool: string) =>
      `${server} 的工具 ${tool}，服务器没有给出说明。`,
  },
  en: {
    noDescription: (server: string, tool: string) =>
      `The tool ${tool} of ${server}; the server gives no description.`,
  },
} as const;
