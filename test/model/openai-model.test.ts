import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelDelta, ModelRequest } from '../../machines/vocabulary/model.ts';
import { openaiModel, openaiPresets } from '../../src/model/index.ts';
import { ask, echo, errorOf, KEY, live, recordedWaits } from './asking.ts';
import { chunk, json, startEndpoint, stream, testEndpoint } from './endpoint.ts';

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

describe('retries', () => {
  const fine = json(200, { model: 'm', choices: [{ message: { content: 'ok' } }] });

  it('a reply after failures lists every request, usage unknown where it was not told', async () => {
    const { baseURL } = await testEndpoint(
      json(429, { error: { message: 'slow down' } }, { 'retry-after': '0' }),
      json(503, 'oops', { 'retry-after-ms': '0' }),
      json(200, {
        choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 1 },
      }),
    );
    const model = openaiModel({ model: 'm', baseURL, stream: false });
    const { text, requests } = await model.generate(ask('hi'), { signal: live });
    expect(text).toBe('ok');
    expect(requests.map(({ usage, error }) => [usage, error])).toEqual([
      [null, 'rate_limit: HTTP 429: slow down'],
      [null, 'unavailable: HTTP 503: oops'],
      [{ inputTokens: 3, outputTokens: 1 }, null],
    ]);
  });

  it.each([
    ['longer than the longest delay', { 'retry-after': '3600' }, 'rate limited'],
    ['forbidden by x-should-retry', { 'x-should-retry': 'false' }, 'rate limited'],
    ['for an exhausted quota', {}, 'insufficient_quota'],
  ])('does not wait when %s', async (_, headers, message) => {
    const { baseURL, received } = await testEndpoint(
      json(429, { error: { message } }, headers),
      fine,
    );
    const model = openaiModel({ model: 'm', baseURL });
    const error = await errorOf(model.generate(ask('hi'), { signal: live }));
    expect(error).toMatchObject({ code: 'rate_limit', retryable: true });
    expect(received).toHaveLength(1);
  });

  it('cancelling while waiting ends at once', async () => {
    const controller = new AbortController();
    const { baseURL, received } = await testEndpoint((response) => {
      json(429, {}, { 'retry-after': '30' })(response, undefined as never);
      response.once('close', () => controller.abort());
    });
    const model = openaiModel({ model: 'm', baseURL });
    const error = await errorOf(model.generate(ask('hi'), { signal: controller.signal }));
    expect(error).toMatchObject({ code: 'aborted', retryable: false });
    expect(received).toHaveLength(1);
    expect(error.requests).toHaveLength(1);
  });

  it('nobody listening: unavailable, with the reason', async () => {
    const { baseURL, stop } = await startEndpoint();
    await stop();
    const model = openaiModel({ model: 'm', baseURL, maxRetries: 0 });
    const error = await errorOf(model.generate(ask('hi'), { signal: live }));
    expect(error).toMatchObject({ code: 'unavailable', retryable: true });
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.requests).toHaveLength(1);
  });
});

describe('what cannot be retried', () => {
  it.each([
    [401, { message: `bad key ${KEY}`, code: 'invalid_api_key' }, 'auth', false],
    [403, { message: 'no access' }, 'auth', false],
    [402, { message: 'Insufficient Balance' }, 'auth', false],
    [404, { message: 'no such model' }, 'bad_request', false],
    [400, { message: 'temperature is wrong' }, 'bad_request', false],
    [400, { message: 'too big', code: 'context_length_exceeded' }, 'context_length', false],
    [400, { message: 'Prompt 超过最大长度', code: '1261' }, 'context_length', false],
    [413, { message: 'large' }, 'context_length', false],
  ] as const)('%i %o is %s', async (status, error, code, retryable) => {
    const { baseURL, received } = await testEndpoint(json(status, { error }));
    const model = openaiModel({ model: 'm', baseURL, apiKey: KEY });
    const refused = await errorOf(model.generate(ask('hi'), { signal: live }));
    expect(refused).toMatchObject({ code, retryable });
    expect(received).toHaveLength(1);
    expect(received[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(refused)).not.toContain(KEY);
    expect(model.name).not.toContain(KEY);
  });

  it('a known endpoint without a key is refused before any request', async () => {
    const model = openaiModel({ preset: 'glm', model: 'glm-4.6' });
    expect(model.name).toBe('glm-4.6 at open.bigmodel.cn');
    expect(openaiPresets.glm).toBe('https://open.bigmodel.cn/api/paas/v4/');
    const error = await errorOf(model.generate(ask('hi'), { signal: live }));
    expect(error).toMatchObject({ code: 'auth', retryable: false, requests: [] });
  });
});

describe('what a response of 200 can be', () => {
  it.each([
    ['an error body', { error: { code: '1210', message: 'odd' } }, 'bad_response', true],
    [
      'an error body about length',
      { error: { message: 'maximum context' } },
      'context_length',
      false,
    ],
    ['no choices', { choices: [] }, 'bad_response', true],
    ['a list', [], 'bad_response', true],
    ['half a JSON text', '{"choices":[{"mess', 'bad_response', true],
    ['nothing', '', 'bad_response', true],
    ['a page', '<html>Sign in</html>', 'bad_response', true],
    [
      'a model that broke off',
      { choices: [{ message: { content: 'x' }, finish_reason: 'network_error' }] },
      'unavailable',
      true,
    ],
  ])('%s', async (_, body, code, retryable) => {
    const answers = [json(200, body), json(200, body)];
    const { baseURL, received } = await testEndpoint(...answers);
    for (const streamed of [true, false]) {
      const model = openaiModel({ model: 'm', baseURL, stream: streamed });
      const error = await errorOf(model.generate(ask('hi'), { signal: live }));
      expect(error).toMatchObject({ code, retryable });
      expect(error.requests).toHaveLength(1);
    }
    expect(received).toHaveLength(2);
  });

  it('an endpoint that ignores `stream` is understood', async () => {
    const { baseURL } = await testEndpoint(
      json(200, { choices: [{ message: { content: 'whole' }, finish_reason: 'length' }] }),
    );
    const deltas: ModelDelta[] = [];
    const reply = await openaiModel({ model: 'm', baseURL }).generate(ask('hi'), {
      signal: live,
      onDelta: (delta) => deltas.push(delta),
    });
    expect(reply).toMatchObject({ text: 'whole', finishReason: 'length', model: 'm' });
    expect(reply.requests[0]?.usage).toBeNull();
    expect(deltas).toEqual([{ kind: 'text', text: 'whole' }]);
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
