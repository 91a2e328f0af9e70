import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { z } from 'zod';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { JsonObject, Locale } from '../../../machines/vocabulary/json.ts';
import { orAborted } from '../../support/abort.ts';
import { MOST_ANSWER_BYTES } from './answers.ts';
import { explainFailure, isSessionOver } from './failures.ts';
import { type Loss, NEVER, type OpenCalls } from './open-calls.ts';

/** What of the SDK's client is used. */
export type McpClient = Pick<Client, 'request' | 'getServerCapabilities' | 'transport'>;

/** A connected client, and the calls that are under way through it. */
export interface ToolSession {
  readonly client: McpClient;
  readonly calls: OpenCalls;
}

/** Where calls go. */
export interface Sessions {
  readonly current: ToolSession;
  /** Whether another session can be begun. */
  readonly canRenew: boolean;
  /** A session in the place of one that the server has ended; shared by all who ask. */
  renew(ended: ToolSession): Promise<ToolSession>;
}

/** What every call of a tool is made with. */
export interface Calling {
  readonly server: string;
  readonly timeout: number;
  readonly sessions: Sessions;
}

const MOST_ANSWER_MEGABYTES = MOST_ANSWER_BYTES / 1024 / 1024;

interface CallRequest {
  readonly name: string;
  readonly input: JsonObject;
}

interface CallOptions extends Calling {
  readonly signal: AbortSignal;
  readonly locale: Locale;
}

type Answer = Readonly<Record<string, unknown>>;

/**
 * What a server answers to a call, as it is. A call that is refused because the session is over did
 * not run: it is made once more in a new session, and not again when it is refused there too.
 * @throws AgentHubError `mcp_disconnected`, `mcp_answer_too_long` or `mcp_call_failed`, which says
 * whether the call may have taken effect.
 */
export async function callTool(request: CallRequest, options: CallOptions): Promise<Answer> {
  const { server, sessions, signal, locale } = options;
  const { current } = sessions;
  const texts = TEXTS[locale];
  const answer = await attempt(request, current, options);
  if (answer !== null) return answer;
  if (!sessions.canRenew) throw new AgentHubError('mcp_disconnected', texts.sessionOver(server));
  const renewed = await orAborted(sessions.renew(current), signal).catch((error: unknown) => {
    const why = texts.notRenewed(server, explainFailure(error));
    throw new AgentHubError('mcp_disconnected', why);
  });
  const second = await attempt(request, renewed, options);
  if (second !== null) return second;
  throw new AgentHubError('mcp_disconnected', texts.noSession(server));
}

/** One request; null when its session is over and it did not run. */
async function attempt(
  { name, input }: CallRequest,
  { client, calls }: ToolSession,
  { server, signal, locale }: CallOptions,
): Promise<Answer | null> {
  const texts = TEXTS[locale];
  if (client.transport === undefined)
    throw new AgentHubError('mcp_disconnected', texts.closed(server));
  const hadSession = client.transport.sessionId !== undefined;
  const open = calls.open(signal);
  try {
    const params = { name, arguments: input };
    const ends = { signal: open.signal, timeout: NEVER };
    // Not `callTool`: that refuses a result for its structured part when the call has taken effect.
    return await open.request(() =>
      client.request({ method: 'tools/call', params }, z.looseObject({}), ends),
    );
  } catch (error) {
    if (hadSession && isSessionOver(error)) return null;
    const loss = open.loss ?? (client.transport === undefined ? 'gone' : null);
    throw failureOf(error, loss, { server, locale });
  } finally {
    open.close();
  }
}

function failureOf(
  error: unknown,
  loss: Loss | null,
  { server, locale }: Pick<CallOptions, 'server' | 'locale'>,
): AgentHubError {
  const texts = TEXTS[locale];
  if (loss === 'too_long') return new AgentHubError('mcp_answer_too_long', texts.tooLong(server));
  if (loss === 'malformed') return new AgentHubError('mcp_call_failed', texts.malformed(server));
  if (loss === 'broken_off') return new AgentHubError('mcp_disconnected', texts.brokenOff(server));
  if (loss === 'gone') return new AgentHubError('mcp_disconnected', texts.lost(server, ''));
  const why = explainFailure(error);
  // A server's own answer has a number; without one, it is the way to it that failed.
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code !== 'number')
    return new AgentHubError('mcp_disconnected', texts.lost(server, ` (${why})`));
  const advice = /elicitation/iu.test(why) ? texts.elicitation : '';
  return new AgentHubError('mcp_call_failed', `${texts.failed(server, why)}${advice}`);
}

const TEXTS = {
  zh: {
    closed: (server: string) => `和 ${server} 的连接已经断开；没有发出调用。`,
    lost: (server: string, why: string) =>
      `调用时和 ${server} 的连接断开了${why}；调用可能已经生效。`,
    brokenOff: (server: string) => `${server} 的答复没有写完就断了；调用可能已经生效。`,
    tooLong: (server: string) =>
      `${server} 的答复超过 ${MOST_ANSWER_MEGABYTES} MB，没有读取；调用可能已经生效。`,
    malformed: (server: string) => `${server} 的答复不是协议规定的形式；调用可能已经生效。`,
    sessionOver: (server: string) => `${server} 已经结束了会话；调用没有执行。需要重新连接。`,
    notRenewed: (server: string, why: string) =>
      `${server} 已经结束了会话，新的会话也没有建立（${why}）；调用没有执行。`,
    noSession: (server: string) => `${server} 连新的会话也不承认；调用没有执行。`,
    failed: (server: string, why: string) => `${server} 没有给出结果：${why}`,
    elicitation: '（服务器要向人提问：请用自己的 SDK 客户端连接，再交给 mcpTools。）',
  },
  en: {
    closed: (server: string) => `There is no connection to ${server} any more; nothing was sent.`,
    lost: (server: string, why: string) =>
      `The connection to ${server} was lost during the call${why}; it may have taken effect.`,
    brokenOff: (server: string) =>
      `The answer of ${server} broke off before its result; the call may have taken effect.`,
    tooLong: (server: string) =>
      `What ${server} answered is longer than ${MOST_ANSWER_MEGABYTES} MB and was not read; the call may have taken effect.`,
    malformed: (server: string) =>
      `What ${server} answered has not the form that the protocol gives it; the call may have taken effect.`,
    sessionOver: (server: string) =>
      `${server} has ended the session; the call did not run. It has to be connected again.`,
    notRenewed: (server: string, why: string) =>
      `${server} has ended the session, and no new one could be begun (${why}); the call did not run.`,
    noSession: (server: string) =>
      `${server} does not know even a new session; the call did not run.`,
    failed: (server: string, why: string) => `${server} gave no result: ${why}`,
    elicitation:
      ' (The server wants to ask a person: connect it with a client of the SDK of your own, and give that to mcpTools.)',
  },
} as const;
