import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message, Outcome } from '../../machines/vocabulary/messages.ts';
import type { ChatMessage } from '../../machines/vocabulary/model.ts';
import {
  nativeCalls,
  type Protocol,
  parseArguments,
  parseReactText,
  reactText,
} from '../../src/protocol/index.ts';
import { conversation, reply, TOOLS } from './conversation.ts';

const PIECES = ['Thought:', 'Action:', 'Action Input:', 'Final Answer:', 'Observation:', '行动：']
  .concat([
    '最终答案：',
    '**',
    '```',
    '~~~',
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    '{"a":',
    ',',
    '<think>',
  ])
  .concat([
    '</think>',
    '<|im_end|>',
    '</s>',
    '\n',
    '\r\n',
    '\u2028',
    ' ',
    '\u200b',
    '# ',
    '- ',
    '1. ',
  ])
  .concat(['search', 'None', 'x', '\ud83d', '__proto__']);

const replies = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join('')),
);
const finishReasons = fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter', 'unknown');

describe.each<[string, Protocol]>([
  ['react-text', reactText],
  ['native-calls', nativeCalls],
])('%s', (_, protocol) => {
  it('reads any reply without throwing, and never makes a call of an empty tool or answer', () => {
    fc.assert(
      fc.property(
        replies,
        replies,
        finishReasons,
        fc.boolean(),
        (text, args, finishReason, called) => {
          const calls = called ? [{ id: null, name: 'search', arguments: args }] : [];
          const step = protocol.parseReply(reply(text, { calls, finishReason }), TOOLS, 'zh');
          if (step.kind === 'answer') expect(step.answer.trim()).not.toBe('');
          if (step.kind !== 'calls') return;
          expect(step.calls).toHaveLength(1);
          expect(step.calls[0]?.tool).not.toBe('');
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('keeps the words of any history, and every call beside its one result', () => {
    fc.assert(
      fc.property(histories, fc.constantFrom('zh', 'en'), (messages, locale) => {
        const request = protocol.toRequest(conversation(messages, { locale }));
        expectWordsUnchanged(messages, request.messages);
        expectPaired(messages, request.messages, protocol);
      }),
      { numRuns: 400 },
    );
  });
});

describe('react-text', () => {
  it('reads back what it asks for', () => {
    const line = fc.stringMatching(/^[a-z0-9 ,.;!?()]{1,40}$/u).map((text) => `x${text.trim()}`);
    fc.assert(
      fc.property(line, line, fc.jsonValue(), (thought, answer, value) => {
        const input = JSON.stringify({ value });
        expect(
          parseReactText(`Thought: ${thought}\nAction: search\nAction Input: ${input}`),
        ).toMatchObject({ kind: 'action', tool: 'search', input });
        expect(parseReactText(`Thought: ${thought}\nFinal Answer: ${answer}`)).toMatchObject({
          kind: 'final',
          answer,
        });
      }),
    );
  });

  it('never lets an answer through whose reply holds a whole call before it', () => {
    const filler = fc.constantFrom('', 'Thought: a\n', '**', '- ', '> ');
    fc.assert(
      fc.property(filler, filler, filler, (first, second, third) => {
        const text = `${first}Action: search\n${second}Action Input: tea\n${third}Final Answer: x`;
        expect(parseReactText(text)).toMatchObject({ code: 'both_action_and_final' });
      }),
    );
  });
});

describe('parseArguments', () => {
  it('agrees with JSON.parse on every object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (object) => {
        const text = JSON.stringify(object);
        expect(parseArguments(text)).toEqual({ ok: true, value: JSON.parse(text) });
        expect(parseArguments(JSON.stringify(text))).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it('calls every beginning of an object truncated', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, cut) => {
        const text = JSON.stringify({ value });
        const part = text.slice(0, 1 + (cut % (text.length - 1)));
        expect(parseArguments(part)).toMatchObject({ ok: false, code: 'truncated' });
      }),
    );
  });

  it('takes any value without throwing', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const reading = parseArguments(value);
        if (reading.ok) expect(JSON.stringify(reading.value)).toMatch(/^\{/u);
        else
          expect(reading.code).toMatch(/^(?:invalid_json|not_object|multiple_values|truncated)$/u);
      }),
    );
  });
});

const OUTCOMES: readonly Outcome[] = ['ok', 'error', 'denied', 'unknown'];
const ids = fc.constantFrom('1.0', '1.1', '2.0', '1_0', '');
const notes = fc.array(fc.record({ source: fc.string(), text: fc.string() }), { maxLength: 2 });
const tools = fc.constantFrom('search', 'scale', 'Look it up', '');
const histories: fc.Arbitrary<readonly Message[]> = fc.array(
  fc.oneof(
    fc.record({
      role: fc.constant('user'),
      content: fc.string({ unit: 'binary' }),
      context: notes,
    }),
    fc.record({
      role: fc.constant('assistant'),
      turn: fc.nat(),
      content: replies,
      calls: fc.array(
        fc.record({ id: ids, providerId: fc.constant('p'), tool: tools, input: fc.jsonValue() }),
        { maxLength: 3 },
      ),
    }),
    fc.record({
      role: fc.constant('observation'),
      callId: ids,
      providerId: fc.constant(null),
      tool: tools,
      outcome: fc.constantFrom(...OUTCOMES),
      content: fc.string(),
      reasons: fc.constant([]),
      context: notes,
    }),
    fc.record({ role: fc.constant('repair'), code: fc.string(), detail: fc.constant(null) }),
    fc.record({ role: fc.constant('stop_block'), reasons: notes }),
  ) as fc.Arbitrary<Message>,
  { maxLength: 12 },
);

function expectWordsUnchanged(history: readonly Message[], sent: readonly ChatMessage[]): void {
  const said = history.flatMap((message) => (message.role === 'user' ? [message.content] : []));
  const contents = sent.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
  let from = 0;
  for (const words of said) {
    const at = contents.indexOf(words, from);
    expect(at).toBeGreaterThanOrEqual(from);
    from = at + 1;
  }
}

function expectPaired(
  history: readonly Message[],
  sent: readonly ChatMessage[],
  { name }: Protocol,
): void {
  const asked = history.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
  if (name === 'react-text') {
    expect(sent.every((message) => message.role !== 'tool' && !('toolCalls' in message))).toBe(
      true,
    );
    return;
  }
  const seen = new Set<string | null>();
  for (const [index, message] of sent.entries()) {
    if (message.role !== 'assistant') continue;
    for (const [offset, { id }] of (message.toolCalls ?? []).entries()) {
      expect(seen.has(id)).toBe(false);
      seen.add(id);
      expect(id).toMatch(/^[\w-]{1,40}$/u);
      expect(sent[index + 1 + offset]).toMatchObject({ role: 'tool', toolCallId: id });
    }
  }
  expect(seen.size).toBe(asked.length);
  expect(sent.filter(({ role }) => role === 'tool')).toHaveLength(asked.length);
}
