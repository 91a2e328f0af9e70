import { describe, expect, it } from 'vitest';
import type { ParsedStep } from '../../machines/vocabulary/step.ts';
import { reactText } from '../../src/protocol/index.ts';
import {
  assistant,
  conversation,
  DENIED,
  observation,
  reply,
  TOOLS,
  worded,
} from './conversation.ts';

function read(text: string, more = {}): ParsedStep {
  return reactText.parseReply(reply(text, more), TOOLS, 'en');
}

function argumentsOf(text: string) {
  const step = read(text);
  if (step.kind !== 'calls') throw new Error(`not calls: ${JSON.stringify(step)}`);
  return step.calls[0]?.arguments;
}

describe('a reply in text', () => {
  it('is a call, and what the model invented behind it does not enter the history', () => {
    expect(read('Thought: look\nAction: search\nAction Input: tea\nObservation: green\n')).toEqual({
      kind: 'calls',
      text: 'Thought: look\nAction: search\nAction Input: tea',
      calls: [
        { tool: 'search', providerId: null, arguments: { ok: true, value: { keywords: 'tea' } } },
      ],
    });
  });

  it('is an answer', () => {
    const text = 'Thought: done\nFinal Answer: green';
    expect(read(text)).toEqual({ kind: 'answer', text, answer: 'green' });
  });

  it('is malformed with a code, and enters as text', () => {
    expect(read('I would say green.')).toEqual({
      kind: 'malformed',
      text: 'I would say green.',
      code: 'no_label',
      detail: null,
    });
  });

  it('is truncated when the provider cut it off, unless the model had gone on', () => {
    const cut = { finishReason: 'length' };
    expect(read('Final Answer: gre', cut)).toMatchObject({ code: 'truncated' });
    expect(read('Action: search\nAction Input: gre', cut)).toMatchObject({ code: 'truncated' });
    expect(read('Action: search\nAction Input: tea\nObservation: gr', cut)).toMatchObject({
      kind: 'calls',
    });
  });

  it('says when a filter withheld it', () => {
    expect(read('', { finishReason: 'content_filter' })).toMatchObject({ code: 'content_filter' });
    expect(read('')).toMatchObject({ code: 'empty' });
  });

  it('may name a tool that reads like none, if there is one', () => {
    const none = [{ ...TOOLS[1], name: 'none' }] as typeof TOOLS;
    const text = 'Action: none\nAction Input: {}';
    expect(reactText.parseReply(reply(text), none, 'en')).toMatchObject({ kind: 'calls' });
    expect(read(text)).toMatchObject({ code: 'missing_action' });
  });
});

describe('an Action Input', () => {
  it('fills the text field verbatim when it is plain', () => {
    const plain = '{tea today} "x"';
    expect(argumentsOf(`Action: search\nAction Input: ${plain}`)).toEqual({
      ok: true,
      value: { keywords: plain },
    });
  });

  it('is JSON when it is an object with a property of the tool', () => {
    expect(argumentsOf('Action: search\nAction Input: {"keywords": "tea", "limit": 2,}')).toEqual({
      ok: true,
      value: { keywords: 'tea', limit: 2 },
    });
    expect(argumentsOf('Action: search\nAction Input: {"limit": 2}')).toEqual({
      ok: true,
      value: { limit: 2 },
    });
    expect(argumentsOf('Action: search\nAction Input: {"color": 2}')).toEqual({
      ok: true,
      value: { keywords: '{"color": 2}' },
    });
  });

  it('that breaks off as JSON is never plain text', () => {
    const text = 'Action: search\nAction Input: {"keywords": "tea"\nObservation: x';
    expect(argumentsOf(text)).toMatchObject({ ok: false, code: 'truncated' });
  });

  it('must be JSON without a text field, and the model is told what was wrong', () => {
    expect(argumentsOf('Action: scale\nAction Input: a.png')).toEqual({
      ok: false,
      code: 'invalid_json',
      message:
        'The arguments are not valid JSON (from "a.png" on). Write one JSON object and nothing else: keys and strings in double quotes, a double quote inside a string as \\".',
    });
    expect(argumentsOf('Action: scale\nAction Input:')).toEqual({ ok: true, value: {} });
  });

  it('of a tool that does not exist leaves only the name at fault', () => {
    expect(argumentsOf('Action: paint\nAction Input: a.png')).toEqual({
      ok: true,
      value: { input: 'a.png' },
    });
  });
});

describe('a request in text', () => {
  it('tells of the tools in lines that a program can read back', () => {
    const { messages, tools, stop } = reactText.toRequest(
      conversation([], { instructions: 'Be brief.' }),
    );
    const system = messages[0]?.content ?? '';
    expect(tools).toEqual([]);
    expect(stop).toEqual(['\nObservation:']);
    expect(system.startsWith('Be brief.\n\n')).toBe(true);
    expect(system.split('\n## Tools\n')[1]?.split('\n')).toEqual([
      '- search: Looks up the policies.',
      `  JSON Schema: ${JSON.stringify(TOOLS[0]?.inputSchema)}`,
      '  Text field: keywords',
      '- scale: Scales an image.',
      `  JSON Schema: ${JSON.stringify(TOOLS[1]?.inputSchema)}`,
    ]);
  });

  it.each(['zh', 'en'] as const)('shows the labels it will read, in %s', (locale) => {
    const system = reactText.toRequest(conversation([], { locale })).messages[0]?.content ?? '';
    for (const label of ['Thought:', 'Action:', 'Action Input:', 'Final Answer:', 'Observation:']) {
      expect(system).toContain(label);
    }
  });

  it('carries words unchanged, and context behind them', () => {
    const content = '  Observation: "x"\r\n$& {}  ';
    const { messages } = reactText.toRequest(
      conversation([{ role: 'user', content, context: [{ source: 'clock', text: 'Monday' }] }]),
    );
    expect(worded(messages.slice(1))).toEqual([
      { role: 'user', content },
      { role: 'user', content: '[Context from clock]\nMonday' },
    ]);
  });

  it('puts a result behind the reply that asked for it, and says when nothing ran', () => {
    const content = 'Action: scale\nAction Input: {"input": "a.png"}';
    const call = { id: '1.0', providerId: null, tool: 'scale', input: { input: 'a.png' } };
    const { messages } = reactText.toRequest(
      conversation([assistant(content, { calls: [call] }), DENIED]),
    );
    expect(worded(messages.slice(1))).toEqual([
      { role: 'assistant', content },
      {
        role: 'user',
        content: `Observation: The call was denied. It did not run and nothing happened. Do not report it as done, and do not repeat it as it was.
Reasons: Access to a target outside the allowed area has not been approved; It would overwrite existing content and that has not been approved`,
      },
    ]);
  });

  it('writes out calls that were made natively, with all results in order', () => {
    const calls = ['1.0', '1.1'].map((id) => ({
      id,
      providerId: 'x',
      tool: 'search',
      input: { keywords: id },
    }));
    const { messages } = reactText.toRequest(
      conversation([assistant('Two.', { calls }), observation('1.1'), observation('1.0')]),
    );
    expect(worded(messages.slice(1))).toEqual([
      {
        role: 'assistant',
        content: `Thought: Two.
Action: search
Action Input: {"keywords":"1.0"}
Action: search
Action Input: {"keywords":"1.1"}`,
      },
      {
        role: 'user',
        content: `Observation:
[1/2 search]
result of 1.0

[2/2 search]
result of 1.1`,
      },
    ]);
  });

  it('tells the model how to mend a reply, and what is left to do', () => {
    const { messages } = reactText.toRequest(
      conversation([
        { role: 'repair', code: 'missing_action_input', detail: null },
        { role: 'repair', code: 'too_many_calls', detail: '16' },
        { role: 'repair', code: 'constructor', detail: null },
        { role: 'stop_block', reasons: [{ source: 'todos', text: 'one is open' }] },
      ]),
    );
    const texts = messages.slice(1).map(({ content }) => content);
    expect(texts[0]).toContain('Action Input: and the input on the line after Action:');
    expect(texts[1]).toContain('at most 16 in one reply');
    expect(texts[2]).toBe(
      'Your last reply could not be read (constructor), so it was not used. Please reply again.',
    );
    expect(texts[3]).toContain('- todos: one is open');
  });

  it.each(['zh', 'en'] as const)('has a text of its own for every code, in %s', (locale) => {
    const codes = ['empty', 'no_label', 'missing_action', 'missing_action_input'].concat([
      'both_action_and_final',
      'multiple_actions',
      'truncated',
      'content_filter',
    ]);
    const repairs = codes.map((code) => ({ role: 'repair', code, detail: null }) as const);
    const { messages } = reactText.toRequest(conversation(repairs, { locale }));
    const texts = messages.slice(1).map(({ content }) => content);
    expect(new Set(texts).size).toBe(codes.length);
    for (const text of texts) expect(text).not.toMatch(/could not be read|无法读懂|\{\}/u);
  });
});
