import { describe, expect, it } from 'vitest';
import type { ModelDelta } from '../../machines/vocabulary/model.ts';
import { openaiModel } from '../../src/model/index.ts';
import { offlineModel } from '../../src/offline/index.ts';
import { manualTimers } from '../support/manual-timers.ts';
import { unheardRejections } from '../support/unheard-rejections.ts';
import { ask, errorOf, live, recordedWaits } from './asking.ts';
import { chunk, stream, testEndpoint } from './endpoint.ts';

describe('streams', () => {
  it.each(['cut', 'close'] as const)(
    'one that ends in the middle (%s) is unavailable, not retried, usage unknown',
    async (end) => {
      const { baseURL, received } = await testEndpoint(
        stream([chunk({ content: 'Half a' })], end),
        stream([chunk({ content: 'whole' }, 'stop')]),
      );
      const deltas: ModelDelta[] = [];
      const error = await errorOf(
        openaiModel({ model: 'm', baseURL }).generate(ask('hi'), {
          signal: live,
          onDelta: (delta) => deltas.push(delta),
        }),
      );
      expect(error).toMatchObject({ code: 'unavailable', retryable: true });
      expect(error.message).toContain('in the middle of the reply');
      expect(error.requests).toEqual([
        expect.objectContaining({ usage: null, error: expect.stringContaining('middle') }),
      ]);
      expect(deltas).toEqual([{ kind: 'text', text: 'Half a' }]);
      expect(received).toHaveLength(1);
    },
  );

  it('an event that is not JSON is a bad response', async () => {
    const { baseURL } = await testEndpoint(stream([chunk({ content: 'a' }), 'data: {"cho\n\n']));
    const model = openaiModel({ model: 'm', baseURL });
    const error = await errorOf(model.generate(ask('hi'), { signal: live }));
    expect(error).toMatchObject({ code: 'bad_response', retryable: true });
  });

  it('an error in the middle is told', async () => {
    const { baseURL } = await testEndpoint(
      stream([chunk({ content: 'a' }), { error: { message: 'Model overloaded' } }]),
    );
    const model = openaiModel({ model: 'm', baseURL });
    const error = await errorOf(model.generate(ask('hi'), { signal: live }));
    expect(error).toMatchObject({ code: 'unavailable', retryable: true });
    expect(error.message).toContain('Model overloaded');
  });

  it('without usage the usage is unknown; with it, it comes from the last chunk', async () => {
    const usage = (tokens: number) => ({
      choices: [],
      usage: { prompt_tokens: 7, completion_tokens: tokens },
    });
    const { baseURL, received } = await testEndpoint(
      stream([chunk({ content: 'a' }, 'stop')]),
      stream([{ ...chunk({ content: 'a' }), ...usage(1), choices: chunk({}).choices }, usage(9)]),
    );
    const model = openaiModel({ model: 'm', baseURL });
    const first = await model.generate(ask('hi'), { signal: live });
    const second = await model.generate(ask('hi'), { signal: live });
    expect(first.requests[0]?.usage).toBeNull();
    expect(second.requests[0]?.usage).toEqual({ inputTokens: 7, outputTokens: 9 });
    expect(second.finishReason).toBe('unknown');
    expect(received[0]?.body.stream_options).toEqual({ include_usage: true });
  });

  it('reads a call in the form there was before there could be several', async () => {
    const { baseURL } = await testEndpoint(
      stream([
        chunk({ role: 'assistant', content: null, function_call: { name: 'echo', arguments: '' } }),
        chunk({ function_call: { arguments: '{"text":' } }),
        chunk({ function_call: { arguments: '"a"}' } }, 'function_call'),
      ]),
    );
    const reply = await openaiModel({ model: 'm', baseURL }).generate(ask('hi'), { signal: live });
    expect(reply).toMatchObject({
      calls: [{ id: null, name: 'echo', arguments: '{"text":"a"}' }],
      finishReason: 'tool_calls',
    });
  });

  it('assembles calls and passes reasoning on', async () => {
    const call = (index: number, id: string | null, name: string | null, text: string) => ({
      tool_calls: [
        { index, ...(id ? { id } : {}), function: { ...(name ? { name } : {}), arguments: text } },
      ],
    });
    const { baseURL } = await testEndpoint(
      stream([
        chunk({ role: 'assistant', reasoning_content: 'Two at ' }),
        chunk({ reasoning_content: 'once.' }),
        chunk(call(0, 'a', 'echo', '{"te')),
        chunk(call(1, 'b', 'echo', '{"text"')),
        chunk(call(0, null, null, 'xt":1}')),
        chunk(call(1, null, null, ':2}'), 'tool_calls'),
      ]),
    );
    const deltas: ModelDelta[] = [];
    const reply = await openaiModel({ model: 'm', baseURL }).generate(ask('hi'), {
      signal: live,
      onDelta: (delta) => deltas.push(delta),
    });
    expect(reply).toMatchObject({
      text: '',
      calls: [
        { id: 'a', name: 'echo', arguments: '{"text":1}' },
        { id: 'b', name: 'echo', arguments: '{"text":2}' },
      ],
      finishReason: 'tool_calls',
      model: 'served-model',
    });
    expect(deltas).toEqual([
      { kind: 'reasoning', text: 'Two at ' },
      { kind: 'reasoning', text: 'once.' },
      { kind: 'call', index: 0, tool: 'echo', text: '{"te' },
      { kind: 'call', index: 1, tool: 'echo', text: '{"text"' },
      { kind: 'call', index: 0, text: 'xt":1}' },
      { kind: 'call', index: 1, text: ':2}' },
    ]);
  });
});

describe('time and cancelling', () => {
  it('silence before the first byte counts as unavailable and is retried', async () => {
    const timers = manualTimers();
    const silent = () => timers.pass(50);
    const { baseURL, received } = await testEndpoint(silent, silent);
    const { wait } = recordedWaits();
    const model = openaiModel({ model: 'm', baseURL, timeout: 50, maxRetries: 1, wait, timers });
    const error = await errorOf(model.generate(ask('hi'), { signal: live }));
    expect(error).toMatchObject({ code: 'unavailable', retryable: true });
    expect(error.message).toContain('nothing arrived in time');
    expect(received).toHaveLength(2);
  });

  it('silence in the middle of a stream ends it', async () => {
    const timers = manualTimers();
    const { baseURL } = await testEndpoint((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(chunk({ content: 'a' }))}\n\n`);
    });
    const model = openaiModel({ model: 'm', baseURL, timeout: 100, timers });
    const onDelta = () => timers.pass(100);
    const error = await errorOf(model.generate(ask('hi'), { signal: live, onDelta }));
    expect(error).toMatchObject({ code: 'unavailable', retryable: true });
    expect(error.requests).toHaveLength(1);
  });

  it('the silence is counted anew from each piece, comments too', async () => {
    const timers = manualTimers();
    const piece = `data: ${JSON.stringify(chunk({ content: 'a' }))}\n\n`;
    const { baseURL } = await testEndpoint((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const write = (text: string) => new Promise((resolve) => response.write(text, resolve));
      void (async () => {
        for (const text of [piece, ': alive\n\n', piece]) {
          timers.pass(90);
          const heard = timers.nextStart();
          await write(text);
          await heard;
        }
        response.end('data: [DONE]\n\n');
      })();
    });
    const model = openaiModel({ model: 'm', baseURL, timeout: 100, timers });
    const reply = await model.generate(ask('hi'), { signal: live });
    expect(reply.text).toBe('aa');
    expect(timers.running).toBe(0);
  });

  it('cancelling in a stream ends it, and sends no delta afterwards', async () => {
    const closed = withResolvers();
    const { baseURL } = await testEndpoint((response) => {
      response.once('close', closed.resolve);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const one = `data: ${JSON.stringify(chunk({ content: 'a' }))}\n\n`;
      response.write(one + one + one);
    });
    const controller = new AbortController();
    const deltas: ModelDelta[] = [];
    const error = await errorOf(
      openaiModel({ model: 'm', baseURL }).generate(ask('hi'), {
        signal: controller.signal,
        onDelta: (delta) => {
          deltas.push(delta);
          controller.abort();
        },
      }),
    );
    expect(error).toMatchObject({ code: 'aborted', retryable: false });
    expect(error.requests).toEqual([expect.objectContaining({ usage: null })]);
    expect(deltas).toHaveLength(1);
    await closed.promise;
  });

  it('a cancelled run sends nothing', async () => {
    const { baseURL, received } = await testEndpoint();
    const model = openaiModel({ model: 'm', baseURL });
    const error = await errorOf(model.generate(ask('hi'), { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: 'aborted', requests: [] });
    expect(received).toEqual([]);
  });

  it.each([
    ['throws', () => thrown()],
    ['rejects', async () => thrown()],
  ])('an onDelta that %s harms nothing', async (_, onDelta) => {
    const { baseURL } = await testEndpoint(stream([chunk({ content: 'a' }, 'stop')]));
    const unheard = await unheardRejections(async () => {
      const options = { signal: live, onDelta };
      const reply = await openaiModel({ model: 'm', baseURL }).generate(ask('hi'), options);
      expect(reply.text).toBe('a');
      expect((await offlineModel().generate(ask('hi'), options)).text).not.toBe('');
    });
    expect(unheard).toEqual([]);
  });
});

function thrown(): never {
  throw new Error('screen is gone');
}

function withResolvers() {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
