import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../machines/vocabulary/model.ts';
import { measureRequest } from '../../src/model/measure-request.ts';
import { toBody } from '../../src/model/openai-request.ts';
import { nativeCalls, reactText } from '../../src/protocol/index.ts';
import { assistant, conversation, DENIED, observation, worded } from '../protocol/conversation.ts';

const call = { id: '1.0', providerId: null, tool: 'scale', input: { input: 'a.png' } };
const HISTORY = conversation(
  [
    { role: 'user', content: 'hello', context: [{ source: 'clock', text: 'Monday' }] },
    assistant('', { calls: [call] }),
    DENIED,
    { role: 'repair', code: 'truncated', detail: null },
    { role: 'stop_block', reasons: [{ source: 'todos', text: 'one is open' }] },
    observation('9.0'),
  ],
  { instructions: 'Be kind.' },
);
const OPTIONS = {
  model: 'm',
  stream: false,
  streamUsage: false,
  sendStop: true,
  extraBody: {},
};
const bodyOf = (request: ModelRequest) => JSON.stringify(toBody(request, OPTIONS));

describe('where messages come from', () => {
  it('is not in the body that is sent', () => {
    const { messages } = nativeCalls.toRequest(HISTORY);
    const few = { messages: messages.slice(0, 2), tools: [], stop: [] };
    expect(few.messages.map((message) => 'origin' in message)).toEqual([true, true]);
    expect(bodyOf(few)).toBe(
      '{"model":"m","messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"hello"}],"stream":false}',
    );
  });

  it.each([nativeCalls, reactText])('$name: changes no byte, and counts as none', (protocol) => {
    const request = protocol.toRequest(HISTORY);
    const without = { ...request, messages: worded(request.messages) };
    expect(request).not.toEqual(without);
    expect(bodyOf(request)).toBe(bodyOf(without));
    expect(measureRequest(request)).toEqual(measureRequest(without));
  });
});
