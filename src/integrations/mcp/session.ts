import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { orAborted } from '../../support/abort.ts';
import { isMalformed, isMeantAsAnswer, isSessionOver } from './failures.ts';
import { type LinkOptions, linkTo } from './links.ts';
import type { Sdk } from './load-sdk.ts';
import { NEVER, OpenCalls } from './open-calls.ts';
import type { McpServer } from './server-config.ts';

type Client = InstanceType<Sdk['Client']>;

/** A server that has been greeted, and the calls that are under way in this session. */
export interface Session {
  readonly client: Client;
  readonly calls: OpenCalls;
  /** What a failure means, as an error with what the server said. */
  unavailable(error: unknown): AgentHubError;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Milliseconds in which a server must say that it is still there, or that a session is over. */
const PATIENCE = 2_000;
/** What the SDK says of a line longer than it was told to keep, before it closes the connection. */
const TOO_LONG = /exceeded maximum size/u;
const GIVEN_UP = /^Maximum reconnection attempts/u;

/**
 * Starts or reaches a server and greets it, until `limit` aborts; its reason tells people why.
 * @throws AgentHubError `mcp_unavailable` with the reason; nothing is left running.
 */
export async function openSession(
  config: McpServer,
  options: LinkOptions,
  limit: AbortSignal,
): Promise<Session> {
  const { server, sdk } = options;
  const client = new sdk.Client({ name: 'agenthub', version: '1' });
  const calls = new OpenCalls();
  const link = linkTo(config, options);
  const unavailable = (error: unknown) => {
    const why = limit.aborted ? String(limit.reason.message) : link.explain(error);
    const text = `${server}: ${why}${link.said()}`;
    return new AgentHubError('mcp_unavailable', text, { servers: [server] });
  };
  const close = async () => {
    await orAborted(link.leave(), AbortSignal.timeout(PATIENCE)).catch(() => {});
    await client.close().catch(() => {});
  };
  try {
    await orAborted(client.connect(link.transport, { signal: limit, timeout: NEVER }), limit);
  } catch (error) {
    await close();
    throw unavailable(error);
  }
  client.onerror = 'url' in config ? watchEndpoint(client, calls) : watchProcess(calls);
  return { client, calls, unavailable, close };
}

/**
 * A call over HTTP waits for an answer on a stream; when that breaks, nobody says so. Whatever goes
 * wrong while calls are under way, the server is asked whether it is there; if not, they end.
 */
function watchEndpoint(client: Client, calls: OpenCalls): (error: Error) => void {
  let isAsking = false;
  const ask = () => {
    const lose = calls.underWay();
    isAsking = true;
    client
      .ping({ timeout: PATIENCE })
      .catch(() => lose('gone'))
      .finally(() => {
        isAsking = false;
      });
  };
  return (error) => {
    if (isMalformed(error) && isMeantAsAnswer(error)) OpenCalls.current()?.lose('malformed');
    if (GIVEN_UP.test(error.message)) OpenCalls.current()?.lose('broken_off');
    // Who is told that the session is over begins a new one.
    if (isAsking || calls.isEmpty || isSessionOver(error)) return;
    OpenCalls.aside(ask);
  };
}

/** Answers of a process are lines; which call a line that cannot be read was for, nobody knows. */
function watchProcess(calls: OpenCalls): (error: Error) => void {
  return (error) => {
    if (TOO_LONG.test(error.message)) calls.underWay()('too_long');
    if (isMalformed(error) && isMeantAsAnswer(error)) calls.only?.lose('malformed');
  };
}
