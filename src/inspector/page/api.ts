import { createParser } from 'eventsource-parser';
import { timeLimit } from '../../support/abort.ts';

/** What a request came to. */
export type Reply<Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false;
      readonly status: number;
      readonly code: string;
      readonly message: string;
    };

const KEY = 'agenthub.token';

/** Where the browser allows no storage, the token lasts as long as the page. */
let kept: string | null = null;

function keptToken(): string | null {
  try {
    return sessionStorage.getItem(KEY) ?? kept;
  } catch {
    return kept;
  }
}

function keepToken(token: string): void {
  kept = token;
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    // As above.
  }
}

/** Takes the token (and the run to open) out of the address, where nobody should see it again. */
export function takeFragment(): string | null {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token');
  const run = fragment.get('run');
  if (token === null) return run;
  keepToken(token);
  const rest = run === null ? '' : `#run=${encodeURIComponent(run)}`;
  history.replaceState(null, '', `${location.pathname}${rest}`);
  return run;
}

function headers(): Record<string, string> {
  const token = keptToken();
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** Reads JSON from the server, or says why it could not. Status 0: it was not reached. */
export async function getJson<Value>(path: string, signal?: AbortSignal): Promise<Reply<Value>> {
  return ask(path, { headers: headers(), ...(signal && { signal }) });
}

/** Gives a command. */
export async function postJson<Value>(path: string, body: unknown): Promise<Reply<Value>> {
  return ask(path, {
    method: 'POST',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function ask<Value>(path: string, init: RequestInit): Promise<Reply<Value>> {
  try {
    const response = await fetch(path, init);
    const value = await response.json();
    if (response.ok) return { ok: true, value: value as Value };
    const { code = 'failed', message = '' } =
      (value as { error?: Record<string, string> }).error ?? {};
    return { ok: false, status: response.status, code, message };
  } catch (thrown) {
    return { ok: false, status: 0, code: 'unreachable', message: String(thrown) };
  }
}

/** A picture that needs the token, as an address for an image; or why there is none. */
export async function getPicture(
  path: string,
): Promise<{ readonly address: string } | 'noPicture' | 'pictureChanged'> {
  const response = await fetch(path, { headers: headers() }).catch(() => null);
  if (response?.ok) return { address: URL.createObjectURL(await response.blob()) };
  return response?.status === 409 ? 'pictureChanged' : 'noPicture';
}

/** One server-sent event as received. */
export interface Received {
  readonly event: string;
  readonly data: unknown;
}

export interface StreamOptions {
  /** Asked for anew whenever the stream is opened; rejects while it cannot be said. */
  readonly path: () => Promise<string> | string;
  readonly signal: AbortSignal;
  /** The last id received, sent as `Last-Event-ID`; kept up to date by the reader of the events. */
  readonly lastId: () => number | null;
  readonly onEvents: (events: readonly Received[]) => void;
  /** `open` once it flows, `lost` while it is tried again, `unauthorized` when that is useless. */
  readonly onState: (state: 'open' | 'lost' | 'unauthorized') => void;
}

/** Milliseconds without a word, pings included, after which a stream counts as lost. */
const SILENCE = 40_000;

/** Reads a stream of events and opens it again whenever it ends, until aborted. */
export async function readStream(options: StreamOptions): Promise<void> {
  const { signal, onState } = options;
  for (let wait = 300; !signal.aborted; wait = Math.min(wait * 2, 4_000)) {
    const outcome = await readOnce(options).catch(() => 'lost' as const);
    if (signal.aborted) return;
    if (outcome === 'unauthorized') return onState('unauthorized');
    if (outcome === 'ended') wait = 150;
    onState('lost');
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

async function readOnce(options: StreamOptions): Promise<'ended' | 'lost' | 'unauthorized'> {
  const { path, signal, lastId, onEvents, onState } = options;
  const silence = timeLimit(SILENCE, { signal });
  try {
    const address = await path();
    const id = lastId();
    const response = await fetch(address, {
      headers: { ...headers(), ...(id === null ? {} : { 'last-event-id': String(id) }) },
      signal: silence.signal,
    });
    if (response.status === 401) return 'unauthorized';
    if (!response.ok || response.body === null) return 'lost';
    onState('open');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let events: Received[] = [];
    const parser = createParser({
      onEvent: ({ event = 'message', data }) => events.push({ event, data: JSON.parse(data) }),
    });
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 'ended';
      silence.renew();
      events = [];
      parser.feed(value);
      if (events.length > 0) onEvents(events);
    }
  } finally {
    silence.abandon();
  }
}
