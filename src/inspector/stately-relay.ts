import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InspectionEvent } from 'xstate';
import { loadAsset } from './server/assets.ts';
import { closeGently } from './server/close-gently.ts';
import { openStream } from './server/event-stream.ts';
import { findIntruder, hasToken, refuse, SAFE_HEADERS } from './server/safety.ts';
import {
  createStatelyInspection,
  type StatelyInspectionOptions,
  type StatelyMessage,
} from './stately.ts';

const LOOPBACK = '127.0.0.1';
const HOSTED = 'https://stately.ai/inspect';

/** Messages kept for a page that is opened late; older ones are dropped. */
const KEPT = 5_000;

export interface StatelyRelayOptions extends Omit<StatelyInspectionOptions, 'send'> {
  /** Stately's page. Default `https://stately.ai/inspect`. */
  readonly hosted?: string;
}

export interface StatelyRelay {
  /** A page of this machine with Stately's page in a frame. */
  readonly url: string;
  /** For `createAgent`, or for `createActor` of a machine that has the agent as a child. */
  readonly inspect: (event: InspectionEvent) => void;
  /** Ends every open stream, and the server of the page. */
  close(): Promise<void>;
}

/**
 * Shows runs in Stately's hosted inspector, by way of a page on this machine's loopback address.
 * The hosted page sees what {@link createStatelyInspection} tells: names, ids and figures unless
 * `sanitizeContext` lets more through. The same rules guard it as the inspector's own page.
 */
export async function startStatelyRelay({
  hosted = HOSTED,
  ...options
}: StatelyRelayOptions = {}): Promise<StatelyRelay> {
  const token = randomBytes(32).toString('base64url');
  const messages: StatelyMessage[] = [];
  let dropped = 0;
  const listeners = new Set<() => void>();
  const ends = new Set<() => void>();
  const script = loadAsset('relay.js');
  const { inspect } = createStatelyInspection({
    ...options,
    send: (message) => {
      messages.push(message);
      if (messages.length > KEPT) {
        messages.shift();
        dropped += 1;
      }
      for (const tell of listeners) tell();
    },
  });
  const { origin, href } = new URL(hosted);
  const page = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>AgentHub · Stately</title><link rel="stylesheet" href="relay.css">
<body data-hosted="${href.replaceAll('"', '%22')}"><iframe title="Stately" sandbox="allow-scripts allow-same-origin allow-popups allow-forms"></iframe><script type="module" src="relay.js"></script></body></html>`;
  const files: Readonly<Record<string, readonly [type: string, content: string | Buffer]>> = {
    '/': ['text/html; charset=utf-8', page],
    '/relay.js': ['text/javascript; charset=utf-8', script],
    '/relay.css': ['text/css', 'html,body,iframe{height:100%;width:100%;margin:0;border:0}'],
  };

  const stream = (request: IncomingMessage, response: ServerResponse) => {
    const last = Number(request.headers['last-event-id'] ?? -1);
    let next = Number.isInteger(last) ? last + 1 : 0;
    const tell = () => {
      for (next = Math.max(next, dropped); next < dropped + messages.length; next += 1)
        sent.send({ event: 'message', id: next, data: messages[next - dropped] });
    };
    const end = () => sent.close();
    const sent = openStream(request, response, () => {
      listeners.delete(tell);
      ends.delete(end);
    });
    listeners.add(tell);
    ends.add(end);
    tell();
  };

  const server = createServer((request, response) => {
    const intruder = findIntruder(request, { hosts: [host] });
    if (intruder !== null) return refuse(response, intruder);
    const path = request.url ?? '';
    const file = Object.hasOwn(files, path) ? files[path] : undefined;
    if (request.method !== 'GET' || (file === undefined && path !== '/events'))
      return refuse(response, { status: 404, code: 'not_found', message: 'Nothing is here.' });
    if (file === undefined) {
      if (hasToken(request, token)) return stream(request, response);
      return refuse(response, { status: 401, code: 'no_token', message: 'The token is missing.' });
    }
    const policy = `${SAFE_HEADERS['content-security-policy']}; frame-src ${origin}`;
    response.writeHead(200, {
      ...SAFE_HEADERS,
      'content-security-policy': policy,
      'content-type': file[0],
    });
    response.end(file[1]);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, resolve);
  });
  const host = `${LOOPBACK}:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/#token=${token}`,
    inspect,
    close: () => {
      for (const end of [...ends]) end();
      return closeGently(server);
    },
  };
}
