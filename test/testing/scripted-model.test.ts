import { describe, expect, it } from 'vitest';
import type { ModelDelta, ModelRequest } from '../../machines/vocabulary/model.ts';
import { hold, scriptedModel } from '../../src/testing/scripted-model.ts';

const signal = new AbortController().signal;
const ask = (content: string): ModelRequest => ({
  messages: [{ role: 'user', content }],
  tools: [],
  stop: [],
});

describe('scriptedModel', () => {
  it('answers step by step, records requests, streams in pieces', async () => {
    const deltas: ModelDelta[] = [];
    const model = scriptedModel(
      [
        'first',
        {
          reasoning: 'hm',
          text: 'abcdef',
          calls: [{ name: 'echo', arguments: { text: 'x' }, id: 'c1' }],
          usage: { inputTokens: 3, outputTokens: 2 },
        },
        (request) => `heard ${request.messages[0]?.content}`,
      ],
      { deltaLength: 4 },
    );
    const first = await model.generate(ask('one'), { signal });
    expect(first).toEqual({
      text: 'first',
      calls: [],
      finishReason: 'stop',
      model: 'scripted',
      requests: [{ messages: 1, characters: 3, usage: null, error: null, ms: 0 }],
    });
    const second = await model.generate(ask('two'), { signal, onDelta: (d) => deltas.push(d) });
    expect(second).toMatchObject({
      text: 'abcdef',
      calls: [{ id: 'c1', name: 'echo', arguments: '{"text":"x"}' }],
      finishReason: 'tool_calls',
      requests: [{ usage: { inputTokens: 3, outputTokens: 2 } }],
    });
    expect(deltas).toEqual([
      { kind: 'reasoning', text: 'hm' },
      { kind: 'text', text: 'abcd' },
      { kind: 'text', text: 'ef' },
      { kind: 'call', index: 0, tool: 'echo', text: '{"te' },
      { kind: 'call', index: 0, text: 'xt":' },
      { kind: 'call', index: 0, text: '"x"}' },
    ]);
    expect((await model.generate(ask('three'), { signal })).text).toBe('heard three');
    expect(model.requests.map(({ messages }) => messages[0]?.content)).toEqual([
      'one',
      'two',
      'three',
    ]);
    model.assertDone();
  });

  it('refuses a request beyond the script, and does not forget it', async () => {
    const model = scriptedModel([]);
    const refused = model.generate(ask('more?'), { signal });
    await expect(refused).rejects.toMatchObject({
      code: 'bad_request',
      details: { retryable: false, requests: [{ messages: 1, usage: null }] },
      message: expect.stringContaining('request 1 was not expected: the script has 0 step(s)'),
    });
    expect(() => model.assertDone()).toThrow(/The last message is user: "more\?"/);
  });

  it('names the steps that were not used', async () => {
    const model = scriptedModel(['used', { text: 'left' }, () => 'x']);
    await model.generate(ask('a'), { signal });
    expect(() => model.assertDone()).toThrow(
      'scriptedModel: 2 of 3 steps were not used:\n2. {"text":"left"}\n3. a function',
    );
  });

  it('an expectation that fails cannot be hidden', async () => {
    const expectation = () => {
      throw new Error('no system message');
    };
    const model = scriptedModel([{ text: 'x', expect: expectation }]);
    await expect(model.generate(ask('a'), { signal })).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect(() => model.assertDone()).toThrow('no system message');
  });

  it('fails as the script says', async () => {
    const model = scriptedModel([{ error: { code: 'rate_limit', retryable: true } }]);
    await expect(model.generate(ask('a'), { signal })).rejects.toMatchObject({
      code: 'rate_limit',
      details: { retryable: true, requests: [{ error: 'rate_limit: scripted rate_limit' }] },
    });
    model.assertDone();
  });

  it('holds a reply until it is released', async () => {
    const gate = hold();
    const model = scriptedModel([{ text: 'late', hold: gate }]);
    let settled = false;
    const reply = model.generate(ask('a'), { signal }).finally(() => {
      settled = true;
    });
    await gate.reached;
    expect(settled).toBe(false);
    gate.release();
    expect((await reply).text).toBe('late');
  });

  it('aborts while held, and sends nothing after an abort', async () => {
    const gate = hold();
    const controller = new AbortController();
    const deltas: ModelDelta[] = [];
    const model = scriptedModel([{ text: 'late', hold: gate }, 'x'.repeat(100)]);
    const held = model.generate(ask('a'), { signal: controller.signal });
    await gate.reached;
    controller.abort();
    await expect(held).rejects.toMatchObject({ code: 'aborted' });

    const second = new AbortController();
    const cut = model.generate(ask('b'), {
      signal: second.signal,
      onDelta: (delta) => {
        deltas.push(delta);
        second.abort();
      },
    });
    await expect(cut).rejects.toMatchObject({ code: 'aborted' });
    expect(deltas).toHaveLength(1);
  });
});
