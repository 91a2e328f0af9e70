import { expect } from 'vitest';
import type { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { ModelErrorDetails, ModelRequest } from '../../machines/vocabulary/model.ts';

export const KEY = 'sk-test-0123456789';
export const live: AbortSignal = new AbortController().signal;

export const ask = (content: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: 'user', content }],
  tools: [],
  stop: [],
  ...more,
});

export const echo = {
  name: 'echo',
  description: 'Says it back',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  textField: 'text',
  oncePerReply: false,
} as const;

/** Waits asked for, instead of waiting. */
export function recordedWaits() {
  const waits: number[] = [];
  return { waits, wait: (ms: number) => Promise.resolve(void waits.push(ms)) };
}

export async function errorOf(promise: Promise<unknown>) {
  const error = (await promise.then(
    () => expect.fail('should have been refused'),
    (thrown: unknown) => thrown,
  )) as AgentHubError;
  const details = error.details as unknown as ModelErrorDetails;
  return { code: error.code, message: error.message, ...details };
}
