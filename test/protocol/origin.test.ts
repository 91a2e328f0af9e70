import { describe, expect, it } from 'vitest';
import { reason } from '../../machines/permission/reasons.ts';
import type { Message, ObservationMessage } from '../../machines/vocabulary/messages.ts';
import type { ChatMessage, MessageOrigin } from '../../machines/vocabulary/model.ts';
import { nativeCalls, type Protocol, reactText } from '../../src/protocol/index.ts';
import { TOOLS } from './conversation.ts';

const observation = (more: Partial<ObservationMessage>): ObservationMessage => ({
  role: 'observation',
  callId: '1.0',
  providerId: null,
  tool: 'search',
  outcome: 'ok',
  content: 'found',
  reasons: [],
  context: [{ source: 'clock', text: 'Monday' }],
  ...more,
});

const HISTORY: readonly Message[] = [
  { role: 'user', content: 'hello', context: [{ source: 'clock', text: 'Monday' }] },
  {
    role: 'assistant',
    turn: 1,
    content: 'I look',
    calls: [
      { id: '1.0', providerId: 'p', tool: 'search', input: { keywords: 'x' } },
      { id: '1.1', providerId: 'p', tool: 'scale', input: {} },
      { id: '1.2', providerId: 'p', tool: 'scale', input: {} },
    ],
  },
  observation({}),
  observation({
    callId: '1.1',
    tool: 'scale',
    outcome: 'denied',
    content: '',
    reasons: [reason('overwrite_not_approved', 'rule', { approval: 'overwrite' })],
  }),
  { role: 'assistant', turn: 2, content: 'hm', calls: [] },
  { role: 'repair', code: 'truncated', detail: null },
  { role: 'assistant', turn: 3, content: 'done', calls: [] },
  { role: 'stop_block', reasons: [{ source: 'todos', text: 'one is open' }] },
  observation({ callId: '9.0', tool: 'gone', outcome: 'error', content: 'broken' }),
];

const FOUND = {
  callId: '1.0',
  tool: 'search',
  arguments: '{"keywords":"x"}',
  outcome: 'ok',
  reasons: [],
  content: 'found',
} as const;
const DENIED = {
  callId: '1.1',
  tool: 'scale',
  arguments: '{}',
  outcome: 'denied',
  reasons: [
    {
      code: 'overwrite_not_approved',
      text: 'It would overwrite existing content and that has not been approved',
    },
  ],
  content: '',
} as const;
/** A call whose result the history does not hold. */
const UNTOLD = {
  ...FOUND,
  callId: '1.2',
  tool: 'scale',
  arguments: '{}',
  outcome: 'unknown',
  content: '',
} as const;
const STRAY = {
  callId: '9.0',
  tool: 'gone',
  arguments: 'null',
  outcome: 'error',
  reasons: [],
  content: 'broken',
} as const;

const render = (protocol: Protocol) =>
  protocol.toRequest({ instructions: 'Be kind.', tools: TOOLS, messages: HISTORY, locale: 'en' });

const originsOf = (messages: readonly ChatMessage[]) =>
  messages.flatMap((message): (MessageOrigin | undefined)[] =>
    message.role === 'assistant' ? [] : [message.origin],
  );

describe('what a message is there for', () => {
  it('native-calls: each result is one message', () => {
    expect(originsOf(render(nativeCalls).messages)).toEqual([
      { kind: 'instructions', tools: null },
      { kind: 'user' },
      { kind: 'note' },
      { kind: 'observation', calls: [FOUND] },
      { kind: 'observation', calls: [DENIED] },
      { kind: 'observation', calls: [UNTOLD] },
      { kind: 'repair', code: 'truncated' },
      { kind: 'stop_block' },
      { kind: 'observation', calls: [STRAY] },
    ]);
  });

  it('react-text: the results of a reply are one message, and the tools are described', () => {
    expect(originsOf(render(reactText).messages)).toEqual([
      { kind: 'instructions', tools: ['search', 'scale'] },
      { kind: 'user' },
      { kind: 'note' },
      { kind: 'observation', calls: [FOUND, DENIED, UNTOLD] },
      { kind: 'repair', code: 'truncated' },
      { kind: 'stop_block' },
      { kind: 'observation', calls: [STRAY] },
    ]);
  });

  it.each([nativeCalls, reactText])(
    '$name: a model cannot change it for later requests',
    (protocol) => {
      const origins = originsOf(render(protocol).messages.slice(1));
      for (const origin of origins) expect(Object.isFrozen(origin)).toBe(true);
      const calls = origins.flatMap((origin) =>
        origin?.kind === 'observation' ? origin.calls : [],
      );
      expect(calls).toHaveLength(4);
      for (const call of calls) {
        expect(Object.isFrozen(call)).toBe(true);
        expect(Object.isFrozen(call.reasons)).toBe(true);
      }
    },
  );
});
