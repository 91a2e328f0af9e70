import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../machines/vocabulary/json.ts';
import { nativeCalls } from '../../src/protocol/index.ts';
import { assistant, conversation, observation, reply, spec } from './conversation.ts';

interface WrittenRow {
  readonly id: string;
  readonly text: string;
  /** The tools that are offered. */
  readonly tools: readonly string[];
  readonly expected: 'calls' | 'malformed' | 'answer';
  readonly calls?: readonly (readonly [string, JsonObject])[];
}

const rows: readonly WrittenRow[] = JSON.parse(
  readFileSync(new URL('../cases/written-calls.json', import.meta.url), 'utf8'),
);

const specs = (names: readonly string[]) => names.map((name) => spec(name, { textField: 'text' }));

describe('a reply that writes a tool call as text', () => {
  it.each(rows)('$id is $expected', ({ text, tools, expected, calls }) => {
    const step = nativeCalls.parseReply(reply(text), specs(tools), 'en');
    expect(step.kind).toBe(expected);
    expect(step.text).toBe(text);
    if (step.kind === 'malformed') expect(step.code).toBe('written_call');
    if (step.kind !== 'calls') return;
    const read = step.calls.map(({ tool, arguments: given }) => [tool, given]);
    expect(read).toEqual(calls?.map(([tool, value]) => [tool, { ok: true, value }]));
  });

  it('is not looked at when it has calls of its own', () => {
    const text = '<tool_call>{"name":"note","arguments":{"text":"a"}}</tool_call>';
    const calls = [{ id: 'x', name: 'note', arguments: '{"text":"b"}' }];
    expect(nativeCalls.parseReply(reply(text, { calls }), specs(['note']), 'en')).toMatchObject({
      kind: 'calls',
      calls: [{ providerId: 'x', arguments: { value: { text: 'b' } } }],
    });
  });

  it('is told as a call in the next request, with a note', () => {
    const text = 'I note it.\n<tool_call>\n{"name":"note","arguments":{"text":"a"}}\n</tool_call>';
    const calls = [{ id: '1.0', providerId: null, tool: 'note', input: { text: 'a' } }];
    const history = [assistant(text, { calls }), observation('1.0', { tool: 'note' })];
    const { messages } = nativeCalls.toRequest(conversation(history, { locale: 'en' }));
    expect(messages.slice(-2)).toMatchObject([
      {
        role: 'assistant',
        content: 'I note it.',
        toolCalls: [{ name: 'note', arguments: '{"text":"a"}' }],
      },
      {
        role: 'tool',
        content: expect.stringMatching(
          /^\(You wrote this call as text; it was read as a tool call\. Make the next one as a tool call\.\)\n/u,
        ),
      },
    ]);
  });

  it('costs time in proportion to its length', () => {
    const long = `<tool_call>\n${'<|'.repeat(100_000)}\n${'Action: note\n'.repeat(20_000)}`;
    expect(nativeCalls.parseReply(reply(long), specs(['note']), 'en').kind).not.toBe('calls');
  });
});

describe("a call's name", () => {
  it.each([
    ['note<|channel|>commentary', 'note'],
    ['<|constrain|>note', 'note'],
    ['<｜tool▁sep｜>note<｜tool▁sep｜>', 'note'],
    ['functions.note', 'note'],
    ['functions.note:0', 'note'],
    ['default_api:note', 'note'],
    [' "note" ', 'note'],
    ['functions.other', 'functions.other'],
    ['other:0', 'other:0'],
  ])('%j is %s', (name, tool) => {
    const calls = [{ id: null, name, arguments: '{}' }];
    const step = nativeCalls.parseReply(reply('', { calls }), specs(['note']), 'en');
    expect(step).toMatchObject({ kind: 'calls', calls: [{ tool }] });
  });
});
