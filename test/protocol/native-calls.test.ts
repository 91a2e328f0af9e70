import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../machines/vocabulary/messages.ts';
import type { NativeCall } from '../../machines/vocabulary/model.ts';
import { nativeCalls } from '../../src/protocol/index.ts';
import {
  assistant,
  conversation,
  DENIED,
  observation,
  reply,
  TOOLS,
  worded,
} from './conversation.ts';

function read(text: string, more = {}) {
  return nativeCalls.parseReply(reply(text, more), TOOLS, 'zh');
}

function native(name: string, text: string): NativeCall {
  return { id: 'call_x', name, arguments: text };
}

describe('a reply with native calls', () => {
  it('keeps the text beside its calls, and each call its own arguments', () => {
    const calls = [native(' "search" ', '{"keywords": "tea",}'), native('scale', '{"input": "a')];
    expect(read('Looking.', { calls, finishReason: 'tool_calls' })).toEqual({
      kind: 'calls',
      text: 'Looking.',
      calls: [
        {
          tool: 'search',
          providerId: 'call_x',
          arguments: { ok: true, value: { keywords: 'tea' } },
        },
        {
          tool: 'scale',
          providerId: 'call_x',
          arguments: {
            ok: false,
            code: 'truncated',
            message: '参数在写完之前就断了。请从头完整地再写一遍，必要时写短一些。',
          },
        },
      ],
    });
  });

  it('is an answer without calls, less its reasoning', () => {
    expect(read('<think>\nhm\n</think>\n\nGreen.')).toEqual({
      kind: 'answer',
      text: '<think>\nhm\n</think>\n\nGreen.',
      answer: 'Green.',
    });
    expect(read('hm\n</think>\nGreen.')).toMatchObject({ answer: 'Green.' });
    expect(read('Write <think> first.')).toMatchObject({ answer: 'Write <think> first.' });
    expect(read('So:\n```\n<think>\n```')).toMatchObject({ answer: 'So:\n```\n<think>\n```' });
  });

  it.each([
    ['', 'stop', 'empty'],
    ['<think>hm</think>', 'stop', 'empty'],
    ['<think>hm', 'stop', 'truncated'],
    ['Gre', 'length', 'truncated'],
    ['', 'content_filter', 'content_filter'],
  ])('%j with %s is malformed: %s', (text, finishReason, code) => {
    expect(read(text, { finishReason })).toEqual({ kind: 'malformed', text, code, detail: null });
  });

  it('is not used when it was cut off, calls or not', () => {
    const calls = [native('search', '{"keywords": "tea"}')];
    expect(read('', { calls, finishReason: 'length' })).toMatchObject({ code: 'truncated' });
  });
});

describe('a request with native calls', () => {
  it('has a tool message per call, with ids of its own', () => {
    const calls = ['1.0', '1.1'].map((id) => ({
      id,
      providerId: 'same',
      tool: 'search',
      input: { keywords: id },
    }));
    const request = nativeCalls.toRequest(
      conversation(
        [
          assistant('', { calls }),
          observation('1.1'),
          observation('1.0', { context: [{ source: 'audit', text: 'seen' }] }),
          assistant('', { calls: calls.slice(0, 1) }),
          observation('1.0', { content: '' }),
        ],
        { instructions: 'Be brief.' },
      ),
    );
    const toolCall = (id: string, keywords: string) => ({
      id,
      name: 'search',
      arguments: `{"keywords":"${keywords}"}`,
    });
    expect({ ...request, messages: worded(request.messages) }).toEqual({
      tools: TOOLS,
      stop: [],
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'assistant',
          content: '',
          toolCalls: [toolCall('call_1_0', '1.0'), toolCall('call_1_1', '1.1')],
        },
        {
          role: 'tool',
          toolCallId: 'call_1_0',
          content: 'result of 1.0\n[Context from audit]\nseen',
        },
        { role: 'tool', toolCallId: 'call_1_1', content: 'result of 1.1' },
        { role: 'assistant', content: '', toolCalls: [toolCall('call_1_0_2', '1.0')] },
        { role: 'tool', toolCallId: 'call_1_0_2', content: '(no output)' },
      ],
    });
  });

  it('says in plain words that a denied call did nothing', () => {
    const call = { id: '1.0', providerId: null, tool: 'scale', input: {} };
    const { messages } = nativeCalls.toRequest(
      conversation([assistant('', { calls: [call] }), DENIED], { locale: 'zh' }),
    );
    expect(messages[1]?.content).toBe(
      '这次调用被拒绝，没有执行，什么都没有发生。不要说它已完成，也不要原样重试。\n' +
        '原因：访问允许区域之外的图片目标尚未获批；试图覆盖已有内容但是尚未被允许',
    );
  });

  it('words every outcome but ok ahead of the content', () => {
    const started: Outcome[] = ['error', 'timeout', 'cancelled', 'unknown'];
    const never: Outcome[] = ['denied', 'blocked', 'hook_failed', 'expired', 'unknown_tool'];
    never.push('invalid_arguments', 'facts_unavailable');
    const textOf = (outcome: Outcome): string => {
      const call = { id: '1.0', providerId: null, tool: 'search', input: {} };
      const history = [
        assistant('', { calls: [call] }),
        observation('1.0', { outcome, content: 'All done.' }),
      ];
      return nativeCalls.toRequest(conversation(history)).messages[1]?.content ?? '';
    };
    for (const text of started.map(textOf)) expect(text).toMatch(/^The [^\n]+\.\nAll done\.$/u);
    for (const text of never.map(textOf)) {
      expect(text).toMatch(/^[^\n]*(?:did not run|nothing ran)[^\n]*\nAll done\.$/u);
    }
    expect(new Set([...started, ...never].map(textOf)).size).toBe(started.length + never.length);
  });

  it('carries a history written in text', () => {
    const content = 'Action: Look it up\nAction Input: tea';
    const call = { id: '2.0', providerId: null, tool: 'Look it up', input: { input: 'tea' } };
    const { messages } = nativeCalls.toRequest(
      conversation([assistant(content, { calls: [call] }), observation('2.0')]),
    );
    expect(messages[0]).toEqual({
      role: 'assistant',
      content,
      toolCalls: [{ id: 'call_2_0', name: 'Look_it_up', arguments: '{"input":"tea"}' }],
    });
  });

  it('leaves out a reply with nothing in it, and keeps its repair', () => {
    const { messages } = nativeCalls.toRequest(
      conversation([assistant(' '), { role: 'repair', code: 'empty', detail: null }]),
    );
    expect(worded(messages)).toEqual([
      {
        role: 'user',
        content:
          'Your last reply had no content. Call a tool, or write the final answer for the user (outside of any reasoning).',
      },
    ]);
  });
});
