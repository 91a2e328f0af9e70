import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Why a request is refused. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export interface SafetyOptions {
  /** The `Host` headers that are this server's, such as `127.0.0.1:4177`. */
  readonly hosts: readonly string[];
}

/** What every answer carries: nothing from elsewhere, no frame around it, nothing kept. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/**
 * Whether a request may come from our own page, by what a browser cannot be made to lie about:
 * the exact `Host` (a rebound name is refused), `Origin` if there is one and always for POST, and
 * `Sec-Fetch-Site`. Null when it may.
 */
export function findIntruder(
  { headers, rawHeaders, method }: IncomingMessage,
  { hosts }: SafetyOptions,
): Refusal | null {
  const named = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const { host = '', origin } = headers;
  if (!hosts.includes(host) || named.filter((name) => name === 'host').length !== 1)
    return forbidden('wrong_host', 'This server answers only to its own address.');
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return forbidden('wrong_origin', 'The request comes from another page.');
  if (method === 'POST' && origin === undefined)
    return forbidden('no_origin', 'A command must say which page it comes from (Origin).');
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return forbidden('wrong_site', 'The request comes from another site.');
  return null;
}

/** Whether a request carries the token. The time it takes does not depend on what it carries. */
export function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const given = /^Bearer (.+)$/u.exec(headers.authorization ?? '')?.[1] ?? '';
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

export function refuse(response: ServerResponse, { status, code, message }: Refusal): void {
  sendJson(response, { error: { code, message } }, status);
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  if (response.destroyed) return;
  const body = JSON.stringify(value);
  response.writeHead(status, {
    ...SAFE_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function forbidden(code: string, message: string): Refusal {
  return { status: 403, code, message };
}
