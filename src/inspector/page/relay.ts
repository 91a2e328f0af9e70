import { readStream, takeFragment } from './api.ts';

/** Hands what the relay tells on to Stately's page in the frame, and to no other. */
const frame = document.querySelector('iframe');
const hosted = new URL(document.body.dataset.hosted ?? '', location.href);
const messages: unknown[] = [];
let isConnected = false;

const post = (message: unknown) => frame?.contentWindow?.postMessage(message, hosted.origin);

addEventListener('message', ({ source, origin, data }) => {
  if (source !== frame?.contentWindow || origin !== hosted.origin) return;
  if ((data as { type?: unknown } | null)?.type !== '@statelyai.connected') return;
  isConnected = true;
  for (const message of messages) post(message);
});

takeFragment();
if (frame !== null) frame.src = hosted.href;
readStream({
  path: () => 'events',
  signal: new AbortController().signal,
  lastId: () => messages.length - 1,
  onEvents: (events) => {
    for (const { data } of events) {
      messages.push(data);
      if (isConnected) post(data);
    }
  },
  onState: (state) => {
    document.body.dataset.state = state;
  },
});
