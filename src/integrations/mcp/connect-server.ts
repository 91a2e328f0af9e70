import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { timeLimit } from '../../support/abort.ts';
import type { Sessions, ToolSession } from './call-tool.ts';
import type { LinkOptions } from './links.ts';
import { type McpTools, type McpToolsOptions, toolsOf } from './mcp-tools.ts';
import { OpenCalls } from './open-calls.ts';
import type { McpServer } from './server-config.ts';
import { openSession, type Session } from './session.ts';

/** How one server is connected. */
export interface ConnectServerOptions extends McpToolsOptions, LinkOptions {
  readonly server: string;
  /** Milliseconds for starting, greeting and listing. */
  readonly connectTimeout: number;
}

/** A server that answers, and its tools. */
export interface ConnectedServer extends McpTools {
  close(): Promise<void>;
}

/**
 * Starts or reaches one server, greets it and lists its tools.
 * @throws AgentHubError `mcp_unavailable` with the reason; nothing is left running.
 */
export function connectServer(
  config: McpServer,
  options: ConnectServerOptions,
): Promise<ConnectedServer> {
  const open = (limit: AbortSignal) => openSession(config, options, limit);
  return withinTime(options.connectTimeout, async (limit) => {
    const session = await open(limit);
    const renew = () => withinTime(options.connectTimeout, open);
    const sessions = new ServerSessions(session, 'url' in config ? renew : null);
    try {
      const close = () => sessions.close();
      return { ...(await toolsOf(sessions, options, limit)), close };
    } catch (error) {
      await sessions.close();
      throw error instanceof AgentHubError && !limit.aborted ? error : session.unavailable(error);
    }
  });
}

/** The session that calls go through: a server over HTTP may end one and be greeted again. */
class ServerSessions implements Sessions {
  #current: Session;
  #renewal: Promise<Session> | null = null;
  /** Sessions that the server has ended, where calls may still be answered. */
  readonly #ended = new Set<Session>();
  readonly #open: (() => Promise<Session>) | null;

  constructor(first: Session, open: (() => Promise<Session>) | null) {
    this.#current = first;
    this.#open = open;
  }

  get current(): Session {
    return this.#current;
  }

  get canRenew(): boolean {
    return this.#open !== null;
  }

  /** Calls that find out at the same time share one new session. */
  async renew(ended: ToolSession): Promise<Session> {
    if (this.#open === null || ended.client !== this.#current.client) return this.#current;
    this.#renewal ??= OpenCalls.aside(this.#open)
      .then((session) => this.#replace(session))
      .finally(() => {
        this.#renewal = null;
      });
    return this.#renewal;
  }

  async close(): Promise<void> {
    await this.#renewal?.catch(() => {});
    await Promise.all([this.#current, ...this.#ended].map((session) => session.close()));
  }

  #replace(session: Session): Session {
    const ended = this.#current;
    this.#current = session;
    this.#ended.add(ended);
    void ended.calls.drained().then(async () => {
      this.#ended.delete(ended);
      await ended.client.close().catch(() => {});
    });
    return session;
  }
}

async function withinTime<Value>(
  milliseconds: number,
  work: (limit: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const reason = () => new Error(`it did not answer within ${milliseconds} ms (connectTimeout)`);
  const limit = timeLimit(milliseconds, { reason });
  try {
    return await work(limit.signal);
  } finally {
    limit.end();
  }
}
