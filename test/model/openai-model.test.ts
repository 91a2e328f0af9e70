import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelDelta, ModelRequest } from '../../machines/vocabulary/model.ts';
import { openaiModel } from '../../src/model/index.ts';
import { ask, echo, errorOf, KEY, live, recordedWaits } from './asking.ts';
import { chunk, stream, testEndpoint } from './endpoint.ts';

describe.each([true, false])('against aimock, stream: %s', (streamed) => {
  const mock = new LLMock({ port: 0, logLevel: 'silent' });
  const model = (more = {}) =>
    openaiModel({
      model: 'glm-4.6',
      apiKey: KEY,
      baseURL: `${mock.url}/v1`,
      stream: streamed,
      ...more,
    });

  beforeAll(async () => {
    mock.onMessage('hello', {
      content: 'Hi there, friend.',
      reasoning: 'A greeting.',
      usage: { prompt_tokens: 11, completion_tokens: 5 },
    });
    const calls = ['a', 'b'].map((text, index) => ({
      id: `call_${index}`,
      name: 'echo',
      arguments: JSON.stringify({ text }),
    }));
    mock.onMessage('two', { toolCalls: calls });
    mock.onMessage('malformed', { content: 'x' }, { chaos: { malformedRate: 1 } });
    mock.onMessage('failing', { content: 'x' }, { chaos: { dropRate: 1 } });
    mock.onMessage('busy', { content: 'x' }, { chaos: { rateLimitRate: 1 } });
    await mock.start();
  });
  afterAll(() => mock.stop());

  it('gives the text, the usage and the deltas', async () => {
    const deltas: ModelDelta[] = [];
    const reply = await model().generate(ask('hello'), {
      signal: live,
      onDelta: (delta) => deltas.push(delta),
    });
    expect(reply).toEqual({
      text: 'Hi there, friend.',
      calls: [],
      finishReason: 'stop',
      model: 'glm-4.6',
      requests: [
        {
          messages: 1,
          characters: 5,
          usage: { inputTokens: 11, outputTokens: 5 },
          error: null,
          ms: expect.any(Number),
        },
      ],
    });
    const joined = (kind: string) =>
      deltas
        .filter((delta) => delta.kind === kind)
        .map(({ text }) => text)
        .join('');
    expect(joined('text')).toBe('Hi there, friend.');
    expect(joined('reasoning')).toBe(streamed ? 'A greeting.' : '');
  });

  it('gives two parallel calls of one reply', async () => {
    const reply = await model().generate(ask('two', { tools: [echo] }), { signal: live });
    expect(reply.finishReason).toBe('tool_calls');
    expect(reply.calls).toEqual([
      { id: 'call_0', name: 'echo', arguments: '{"text":"a"}' },
      { id: 'call_1', name: 'echo', arguments: '{"text":"b"}' },
    ]);
    const sent = mock.getLastRequest()?.body as { tools?: unknown } | null;
    expect(sent?.tools).toEqual([
      {
        type: 'function',
        function: { name: 'echo', description: 'Says it back', parameters: echo.inputSchema },
      },
    ]);
  });

  it('malformed JSON is a bad response, retryable, with its request', async () => {
    const error = await errorOf(model().generate(ask('malformed'), { signal: live }));
    expect(error).toMatchObject({ code: 'bad_response', retryable: true });
    expect(error.requests).toEqual([
      expect.objectContaining({ usage: null, error: expect.stringMatching(/^bad_response: /) }),
    ]);
  });

  it('500s are retried, then unavailable, every attempt on record', async () => {
    const { waits, wait } = recordedWaits();
    const error = await errorOf(model({ wait }).generate(ask('failing'), { signal: live }));
    expect(error).toMatchObject({ code: 'unavailable', retryable: true });
    expect(error.requests.map((request) => request.usage)).toEqual([null, null, null]);
    expect(waits).toEqual([500, 1_000]);
  });

  it('429 waits as long as Retry-After says', async () => {
    const { waits, wait } = recordedWaits();
    const busy = model({ wait, maxRetries: 1 }).generate(ask('busy'), { signal: live });
    const error = await errorOf(busy);
    expect(error).toMatchObject({ code: 'rate_limit', retryable: true });
    expect(error.requests).toHaveLength(2);
    expect(waits).toEqual([1_000]);
  });
});

describe('the request', () => {
  it('carries the history as documented, and nothing that was not asked for', async () => {
    const { baseURL, received } = await testEndpoint(stream([chunk({ content: 'a' }, 'stop')]));
    const request: ModelRequest = {
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'x', name: 'echo', arguments: '{}' }] },
        { role: 'tool', toolCallId: 'x', content: 'done' },
      ],
      tools: [echo],
      stop: ['\nObservation:'],
    };
    const model = openaiModel({ model: 'm', baseURL, extraBody: { temperature: 0 } });
    const { requests } = await model.generate(request, { signal: live });
    expect(received[0]?.body).toEqual({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      stop: ['\nObservation:'],
      temperature: 0,
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'x', type: 'function', function: { name: 'echo', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'x', content: 'done' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'echo', description: 'Says it back', parameters: echo.inputSchema },
        },
      ],
    });
    expect(requests[0]).toMatchObject({ messages: 4, characters: 9 + 2 + 2 + 4 + 12 });
    expect(received[0]?.headers.authorization).toBeUndefined();
    expect(received[0]?.path).toBe('/v1/chat/completions');
  });

  it('leaves stop and stream_options out for models that refuse them', async () => {
    const { baseURL, received } = await testEndpoint(stream([chunk({ content: 'a' }, 'stop')]));
    const model = openaiModel({ model: 'm', baseURL, sendStop: false, streamUsage: false });
    await model.generate(ask('hi', { stop: ['x'] }), { signal: live });
    expect(Object.keys(received[0]?.body ?? {})).toEqual(['model', 'messages', 'stream']);
  });

  it.each([
    [{ model: '' }, 'model'],
    [{ model: 'm', baseURL: 'ftp://x' }, 'baseURL: must be an http or https URL'],
    [{ model: 'm', baseURL: 'https://user:secret@host/' }, 'without credentials'],
    [{ model: 'm', preset: 'gpt' }, 'preset'],
    [{ model: 'm', timeout: 0 }, 'timeout'],
    [{ model: 'm', extraBody: { messages: [] } }, 'extraBody: must not set'],
    [{ model: 'm', max_tokens: 3 }, 'max_tokens'],
  ])('refuses the options %o', (options, problem) => {
    expect(() => openaiModel(options as never)).toThrow(
      expect.objectContaining({
        code: 'invalid_model_options',
        message: expect.stringContaining(problem),
      }),
    );
    expect(() => openaiModel(options as never)).not.toThrow(/secret/);
  });
});
