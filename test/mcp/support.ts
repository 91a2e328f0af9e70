import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import type { Json, JsonObject, Locale } from '../../machines/vocabulary/json.ts';
import { type McpToolsOptions, mcpTools } from '../../src/integrations/mcp/index.ts';
import type { Tool } from '../../src/tools/tool.types.ts';
import { validateInput } from '../../src/tools/validate-input.ts';

/** A server that is a child process. */
export const desk = {
  command: process.execPath,
  args: [fixture('stdio-server.mjs')],
} as const;

export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

type Answer = JsonObject | Promise<JsonObject>;

/** What a server in this process does; every entry may be as wrong as a test wants it. */
export interface Behaviour {
  readonly tools?: readonly unknown[];
  /** Instead of `tools`: a page for each cursor. */
  readonly page?: (cursor: string | undefined) => Json;
  readonly call?: (name: string, input: JsonObject) => Answer;
  readonly capabilities?: JsonObject;
}

/** A tool as a server lists it. */
export const listed = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  ...more,
});

/** A server in this process and a client that is connected to it. */
export async function serve({ tools = [listed('read')], page, call, capabilities }: Behaviour) {
  const server = new Server(
    { name: 'test', version: '1' },
    { capabilities: (capabilities ?? { tools: {} }) as never },
  );
  const called: { name: string; input: JsonObject }[] = [];
  // The SDK would not let a server of its own answer what is wrong.
  const answers = new Map<unknown, unknown>();
  let cancelled = (_: string): void => {};
  const cancellation = new Promise<string>((resolve) => {
    cancelled = resolve;
  });
  if (capabilities === undefined) {
    server.setRequestHandler(ListToolsRequestSchema, ({ params }, { requestId }) => {
      answers.set(requestId, page ? page(params?.cursor) : { tools });
      return { tools: [] };
    });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
      const input = (params.arguments ?? {}) as JsonObject;
      called.push({ name: params.name, input });
      answers.set(requestId, await (call?.(params.name, input) ?? text('done')));
      return { content: [] };
    });
  }
  server.setNotificationHandler(CancelledNotificationSchema, ({ params }) =>
    cancelled(String(params.reason)),
  );
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const send = theirs.send.bind(theirs);
  theirs.send = (message) => {
    const { id } = message as { id?: unknown };
    return send((answers.has(id) ? { ...message, result: answers.get(id) } : message) as never);
  };
  const client = new Client({ name: 'host', version: '1' });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  onTestFinished(() => client.close());
  return { client, server, called, cancellation };
}

export const text = (words: string): JsonObject => ({ content: [{ type: 'text', text: words }] });

/** The tools of a server in this process, by name. */
export async function toolsOf(behaviour: Behaviour, options: Partial<McpToolsOptions> = {}) {
  const served = await serve(behaviour);
  const { tools, problems } = await mcpTools(served.client, { server: 'files', ...options });
  return { ...served, tools, problems, names: tools.map(({ name }) => name) };
}

/** A tool whose input has a schema. */
export async function toolWith(inputSchema: Json): Promise<Tool<JsonObject>> {
  const { tools, problems } = await toolsOf({ tools: [listed('read', { inputSchema })] });
  const [tool] = tools;
  if (tool === undefined) throw new Error(problems.map(({ message }) => message).join('\n'));
  return tool;
}

/** What the engine makes of an input: `ok`, or the words for the model. */
export async function judge(
  tool: Tool<JsonObject>,
  input: unknown,
  locale: Locale = 'en',
): Promise<string> {
  const checked = await validateInput(tool, input, locale);
  if (checked.ok && checked.value !== input) throw new Error('the input has been changed');
  return checked.ok ? 'ok' : checked.message;
}

/** Runs a tool as the engine does, beside its permission. */
export async function execute(
  tool: Tool<JsonObject> | undefined,
  input: JsonObject = {},
  { signal = new AbortController().signal, locale = 'en' as Locale } = {},
): Promise<unknown> {
  if (tool === undefined) throw new Error('there is no such tool');
  return tool.execute(input, { signal, locale } as never);
}
