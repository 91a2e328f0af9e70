import type { IncomingMessage, ServerResponse } from 'node:http';
import { SAFE_HEADERS } from './safety.ts';

const PING_EVERY = 15_000;

/** One server-sent event. */
export interface SentEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id?: number;
}

/** A stream of server-sent events to one reader. */
export interface EventStream {
  readonly isOpen: boolean;
  send(event: SentEvent): void;
  close(): void;
}

/** Opens a stream; `onClose` is called once when either side ends it. */
export function openStream(
  request: IncomingMessage,
  response: ServerResponse,
  onClose: () => void,
): EventStream {
  let isOpen = true;
  response.writeHead(200, {
    ...SAFE_HEADERS,
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  });
  response.write(': hello\n\n');
  const ping = setInterval(() => response.write(': ping\n\n'), PING_EVERY);
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(ping);
    onClose();
  };
  request.on('close', end);
  response.on('close', end);
  response.on('error', end);
  return {
    get isOpen() {
      return isOpen;
    },
    send({ event, data, id }) {
      if (!isOpen) return;
      const name = id === undefined ? '' : `id: ${id}\n`;
      response.write(`${name}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    close() {
      end();
      response.end();
    },
  };
}
