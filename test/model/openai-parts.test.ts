import { describe, expect, it } from 'vitest';
import { addCallFragment, assembledCalls, emptyCalls } from '../../src/model/openai-calls.ts';
import { redact } from '../../src/model/openai-errors.ts';
import { readCompletion, readUsage } from '../../src/model/openai-reply.ts';
import { retryDelay } from '../../src/model/openai-retry.ts';
import { eventStreamReader } from '../../src/model/server-sent-events.ts';

type Fragment = { index?: unknown; id?: unknown; name?: unknown; args?: unknown };

function assemble(...fragments: Fragment[]) {
  const calls = emptyCalls();
  for (const { name, args, ...rest } of fragments) {
    addCallFragment(calls, { ...rest, function: { name, arguments: args } });
  }
  return assembledCalls(calls).map(({ id, name, arguments: text }) => [id, name, text]);
}

describe('streamed tool calls', () => {
  it.each<[string, Fragment[], unknown[]]>([
    [
      'interleaved indices',
      [
        { index: 1, id: 'b', name: 'two', args: '{' },
        { index: 0, id: 'a', name: 'one', args: '[' },
        { index: 1, args: '}' },
        { index: 0, args: ']' },
      ],
      [
        ['a', 'one', '[]'],
        ['b', 'two', '{}'],
      ],
    ],
    [
      'no ids at all',
      [
        { index: 0, name: 'one', args: '{' },
        { index: 0, args: '}' },
      ],
      [[null, 'one', '{}']],
    ],
    [
      'an id that comes late, an empty id afterwards',
      [
        { index: 0, name: 'one' },
        { index: 0, id: 'a', args: '{}' },
        { index: 0, id: '' },
      ],
      [['a', 'one', '{}']],
    ],
    [
      'the name in every fragment',
      [
        { index: 0, id: 'a', name: 'one', args: '{' },
        { index: 0, id: 'a', name: 'one', args: '}' },
      ],
      [['a', 'one', '{}']],
    ],
    [
      'a name in pieces, then whole',
      [
        { index: 0, id: 'a', name: 'knowledge_' },
        { index: 0, name: 'search', args: '{}' },
      ],
      [['a', 'knowledge_search', '{}']],
    ],
    [
      'no index, told apart by id',
      [
        { id: 'a', name: 'one', args: '{' },
        { id: 'b', name: 'two', args: '{' },
        { id: 'a', args: '}' },
        { id: 'b', args: '}' },
      ],
      [
        ['a', 'one', '{}'],
        ['b', 'two', '{}'],
      ],
    ],
    [
      'no index and no id: a fragment continues the last call, a name after arguments starts one',
      [{ name: 'one', args: '{' }, { args: '}' }, { name: 'two', args: '{}' }],
      [
        [null, 'one', '{}'],
        [null, 'two', '{}'],
      ],
    ],
    [
      'the same index for every call',
      [
        { index: 0, id: 'a', name: 'one', args: '{}' },
        { index: 0, id: 'b', name: 'one', args: '{' },
        { index: 0, args: '}' },
      ],
      [
        ['a', 'one', '{}'],
        ['b', 'one', '{}'],
      ],
    ],
    [
      'arguments as an object',
      [{ index: 0, id: 'a', name: 'one', args: { text: 'x' } }],
      [['a', 'one', '{"text":"x"}']],
    ],
  ])('%s', (_, fragments, expected) => {
    expect(assemble(...fragments)).toEqual(expected);
  });

  it('ignores what is no fragment', () => {
    const calls = emptyCalls();
    expect([null, 7, 'x'].map((odd) => addCallFragment(calls, odd))).toEqual([null, null, null]);
    expect(assembledCalls(calls)).toEqual([]);
  });
});

describe('eventStreamReader', () => {
  const text = ': comment\r\nevent: x\r\ndata: {"a":1}\r\n\r\ndata:two\rdata: lines\r\rdata: last';
  const expected = ['{"a":1}', 'two\nlines', 'last'];

  it('gives the same however the text is cut', () => {
    for (let size = 1; size <= text.length; size += 1) {
      const read = eventStreamReader();
      const events: string[] = [];
      for (let at = 0; at < text.length; at += size)
        events.push(...read(text.slice(at, at + size)));
      expect([...events, ...read(null)]).toEqual(expected);
    }
  });

  it.each([
    [
      'a blank event, which endpoints send to show that they live',
      'data:\n\ndata: a\n\n',
      ['', 'a'],
    ],
    ['comments alone', ': alive\n\n: alive\n\n', []],
    ['fields nobody knows', 'id: 1\nretry: soon\nfoo\ndata: a\n\n', ['a']],
    ['data without a colon', 'data\n\n', ['']],
    ['one space that belongs to the field, and one that does not', 'data:  a\n\n', [' a']],
    ['an end without any line end', 'data: a', ['a']],
  ])('reads %s', (_, stream, events) => {
    const read = eventStreamReader();
    expect([...read(stream), ...read(null)]).toEqual(events);
  });

  it('keeps what it gave when more is read', () => {
    const read = eventStreamReader();
    const first = read('data: a\n\n');
    read('data: b\n\n');
    expect(first).toEqual(['a']);
  });
});

describe('retryDelay', () => {
  const limits = { longest: 60_000, now: Date.UTC(2026, 0, 1, 0, 0, 0) };

  it.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after-ms': '150', 'retry-after': '9' }, 150],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, 500],
    [{ 'retry-after': '61' }, null],
    [{}, 500],
  ])('%o is %s', (headers, expected) => {
    expect(retryDelay(0, new Headers(headers as Record<string, string>), limits)).toBe(expected);
  });

  it('doubles up to 8 s', () => {
    const delays = [0, 1, 2, 3, 4, 5, 60].map((attempt) => retryDelay(attempt, null, limits));
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });
});

describe('readUsage', () => {
  it.each([
    [
      { prompt_tokens: 0, completion_tokens: 0 },
      { inputTokens: 0, outputTokens: 0 },
    ],
    [{ prompt_tokens: 3 }, null],
    [{ prompt_tokens: 3, completion_tokens: null }, null],
    [{ prompt_tokens: '3', completion_tokens: 1 }, null],
    [{ prompt_tokens: -1, completion_tokens: 1 }, null],
    [{ prompt_tokens: 1e300, completion_tokens: 1 }, null],
    [{}, null],
    [null, null],
  ])('%o is %o', (reported, expected) => {
    expect(readUsage(reported)).toEqual(expected);
  });
});

describe('readCompletion', () => {
  it.each([
    ['stop', 'stop'],
    ['max_tokens', 'length'],
    ['function_call', 'tool_calls'],
    ['sensitive', 'content_filter'],
    ['eos', 'unknown'],
    [null, 'unknown'],
  ])('finish reason %o is %o', (given, expected) => {
    const body = { choices: [{ message: { content: 'x' }, finish_reason: given }] };
    const reading = readCompletion(JSON.stringify(body), 'm');
    expect(reading.ok && reading.reply.finishReason).toBe(expected);
  });

  it('reads content parts and a refusal as text', () => {
    const read = (message: unknown) => {
      const reading = readCompletion(JSON.stringify({ choices: [{ message }] }), 'm');
      return reading.ok && reading.reply.text;
    };
    expect(
      read({
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }),
    ).toBe('ab');
    expect(read({ content: null, refusal: 'I cannot.' })).toBe('I cannot.');
    expect(read({ content: null })).toBe('');
  });
});

describe('redact', () => {
  it('takes out keys, whatever echoes them, and shortens', () => {
    expect(redact('key my-secret refused', ['my-secret'])).toBe('key *** refused');
    expect(redact('Incorrect API key provided: sk-abcd****wxyz.', [])).not.toContain('wxyz');
    expect(redact('Authorization: Bearer abc.def', [])).toBe('Authorization: Bearer ***');
    expect(redact('x'.repeat(2_000), [])).toHaveLength(501);
  });
});
