import { describe, expect, it } from 'vitest';
import type { ModelDelta } from '../../machines/vocabulary/model.ts';
import { openaiModel, openaiPresets } from '../../src/model/index.ts';
import { ask, errorOf, KEY, live } from './asking.ts';
import { json, startEndpoint, testEndpoint } from './endpoint.ts';

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
