import { z } from 'zod';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { McpClient } from './call-tool.ts';
import { explainFailure } from './failures.ts';
import { NEVER, type OpenCalls } from './open-calls.ts';

/** A tool as a server lists it: nothing in it is trusted. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: unknown;
  /** A tool that answers with a task to be asked about later; there is nobody to ask. */
  readonly needsTask: boolean;
}

/** Pages of a list; one that never ends may come in small steps. */
const MOST_PAGES = 100;

const pageSchema = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().nullish(),
});

const listedSchema = z.looseObject({
  name: z.string().min(1).max(1_000),
  title: z.string().catch(''),
  description: z.string().catch(''),
  inputSchema: z.unknown(),
  execution: z.looseObject({ taskSupport: z.unknown() }).optional().catch(undefined),
});

/** How a list is had: it ends with the signal, or with the connection. */
export interface Listing {
  readonly server: string;
  readonly maxTools: number;
  readonly signal: AbortSignal;
  readonly calls: OpenCalls;
}

/**
 * Every tool a server lists, over all pages; null stands for an entry that is no tool.
 * @throws AgentHubError `mcp_unavailable` for a list that cannot be had, or is longer than `maxTools`.
 */
export async function listTools(
  client: McpClient,
  { server, maxTools, signal, calls }: Listing,
): Promise<readonly (ListedTool | null)[]> {
  const fail = (text: string) =>
    new AgentHubError('mcp_unavailable', `${server}: ${text}`, { servers: [server] });
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const listed: unknown[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const params = typeof cursor === 'string' ? { cursor } : {};
    const open = calls.open(signal);
    const ends = { signal: open.signal, timeout: NEVER };
    const answer = await client
      .request({ method: 'tools/list', params }, pageSchema, ends)
      .catch((error: unknown) => {
        throw fail(`its tools could not be listed: ${explainFailure(error)}`);
      })
      .finally(() => open.close());
    listed.push(...answer.tools.slice(0, maxTools + 1));
    if (listed.length > maxTools)
      throw fail(`it lists more than ${maxTools} tools; raise maxTools if you want them all.`);
    cursor = answer.nextCursor;
    if (typeof cursor !== 'string' || cursor === '') return listed.map(readTool);
  }
  throw fail(`its list of tools does not end: there are more than ${MOST_PAGES} pages.`);
}

function readTool(listed: unknown): ListedTool | null {
  const read = listedSchema.safeParse(listed);
  if (!read.success) return null;
  const { name, title, description, inputSchema, execution } = read.data;
  const needsTask = execution?.taskSupport === 'required';
  return { name, title, description, inputSchema, needsTask };
}
