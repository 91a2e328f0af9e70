import { z } from 'zod';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';

/** A server that is started as a process and spoken to through its standard streams. */
export interface McpProcess {
  readonly type?: 'stdio' | undefined;
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to the few variables that the SDK passes on, such as `PATH` and `HOME`; no others are. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** A server that is spoken to over HTTP (the protocol's "streamable HTTP"). */
export interface McpEndpoint {
  readonly type?: 'http' | 'streamable-http' | undefined;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** One entry of a `mcpServers` object. */
export type McpServer = McpProcess | McpEndpoint;

/** Short enough that a tool's name still fits behind it; one `_` at a time, for `__` ends it. */
const SERVER_NAME = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/u;
const LONGEST_SERVER_NAME = 32;

const texts = z.record(z.string(), z.string());
const schemas = {
  process: z.strictObject({
    type: z.literal('stdio').optional(),
    command: z.string().min(1),
    args: z.array(z.string()).optional(),
    env: texts.optional(),
    cwd: z.string().min(1).optional(),
  }),
  endpoint: z.strictObject({
    type: z.enum(['http', 'streamable-http']).optional(),
    url: z.string().refine(isEndpoint, 'an http or https URL without a user name or password'),
    headers: texts.refine(isHeaders, 'names and values that HTTP can carry').optional(),
  }),
};

/** @throws AgentHubError `invalid_options` for a name that cannot stand before a tool's. */
export function checkServerName(name: unknown): string {
  if (typeof name === 'string' && name.length <= LONGEST_SERVER_NAME && SERVER_NAME.test(name))
    return name;
  throw invalid(
    `${JSON.stringify(name)} is no name for a server: use 1 to ${LONGEST_SERVER_NAME} letters, digits, "-" and single "_" inside.`,
  );
}

/**
 * Servers as a host gives them.
 * @throws AgentHubError `invalid_options` naming what is wrong; never a value, which may be secret.
 */
export function checkServers(servers: unknown): ReadonlyMap<string, McpServer> {
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers))
    throw invalid('give an object of servers by name, { files: { command: … } }.');
  return new Map(
    Object.entries(servers).map(([name, server]) => [
      checkServerName(name),
      checkServer(name, server),
    ]),
  );
}

function checkServer(name: string, server: unknown): McpServer {
  const { command, url } = (server ?? {}) as Partial<Record<string, unknown>>;
  if ((command === undefined) === (url === undefined))
    throw invalid(`${name}: give either command (a process) or url (an endpoint).`);
  const checked = (url === undefined ? schemas.process : schemas.endpoint).safeParse(server);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map(
    ({ path, message }) => `${[name, ...path.map(String)].join('.')}: ${message}`,
  );
  throw invalid(problems.join('\n'));
}

function invalid(text: string): AgentHubError {
  return new AgentHubError('invalid_options', `servers: ${text}`, { option: 'servers' });
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/u.test(protocol) && username === '' && password === '';
}

function isHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    new Headers(headers);
    return true;
  } catch {
    return false;
  }
}
