import { describe, expect, it } from 'vitest';
import { openaiModel } from '../../src/model/index.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import { openRuns } from '../../src/run/runs.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { chunk, stream, testEndpoint } from '../model/endpoint.ts';
import { answer, callNote, said, scriptedAgent } from './support.ts';

describe('usage', () => {
  it('adds up what was reported, and what the requests carried', async () => {
    const { agent } = scriptedAgent([callNote('a'), answer('ok')]);
    const run = agent.start('task');
    const { usage } = await run.outcome;
    const requests = run.trace.flatMap((step) => (step.kind === 'model' ? step.requests : []));
    expect(usage).toMatchObject({ requests: 2, inputTokens: 20, outputTokens: 4 });
    expect(requests).toHaveLength(2);
    expect(usage.messages).toBe(requests.reduce((sum, { messages }) => sum + messages, 0));
    expect(usage.characters).toBe(requests.reduce((sum, { characters }) => sum + characters, 0));
    expect(requests[1]?.messages).toBeGreaterThan(requests[0]?.messages ?? 0);
  });

  it('is unknown as soon as one request went unreported, never 0', async () => {
    const { agent } = scriptedAgent([callNote('a'), { text: 'ok', usage: null }]);
    const { usage } = await agent.start('task').outcome;
    expect(usage).toMatchObject({
      requests: 2,
      inputTokens: 'unknown',
      outputTokens: 'unknown',
      reported: { inputTokens: 10, outputTokens: 2 },
    });
  });

  it('counts a request that failed', async () => {
    const { agent } = scriptedAgent([callNote('a'), { error: { code: 'auth' } }]);
    const outcome = await agent.start('task').outcome;
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'auth' } });
    expect(outcome.usage).toMatchObject({ requests: 2, inputTokens: 'unknown' });
  });

  it('counts a request of a model that threw without saying what it cost', async () => {
    const model = { name: 'bare', generate: () => Promise.reject(new Error('no')) };
    const outcome = await createAgent({ model }).start('task').outcome;
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'model_failed', message: 'no' },
    });
    expect(outcome.usage).toMatchObject({ requests: 1, messages: 1, inputTokens: 'unknown' });
  });
});

describe('a reply that breaks off', () => {
  it('what had arrived is the partial answer, on record, and no message', async () => {
    const { baseURL } = await testEndpoint(
      stream([chunk({ content: 'Half an ' }), chunk({ content: 'answer' })], 'cut'),
      stream([chunk({ content: 'A whole answer' }, 'stop')]),
    );
    const store = memoryStore();
    const agent = createAgent({ model: openaiModel({ model: 'm', baseURL }), store });
    const run = agent.start('task');
    const partialAnswer = 'Half an answer';
    const suspended = { status: 'suspended', reason: 'model_unavailable', partialAnswer };
    const { messages, ...outcome } = await run.outcome;
    expect([outcome, messages.length]).toMatchObject([suspended, 1]);
    expect(run.trace).toMatchObject([{ kind: 'model', status: 'error', characters: 14 }]);
    await run.saved();
    expect((await openRuns(store).show(run.id)).rest).toMatchObject(suspended);
    run.resume();
    expect(await run.outcome).toMatchObject({ status: 'done', answer: 'A whole answer' });
  });

  it('where nothing had arrived it is what the model wrote before', async () => {
    const error = { code: 'unavailable', retryable: true } as const;
    const before = { text: 'Looking', calls: [{ name: 'note', arguments: { text: 'a' } }] };
    const { agent } = scriptedAgent([before, { error }]);
    expect(await agent.start('task').outcome).toMatchObject({ partialAnswer: 'Looking' });
  });
});

describe('limits', () => {
  it.each([
    ['turns', { turns: 1 }, 'limit.turns', { turns: 9 }],
    ['toolCalls', { toolCalls: 1 }, 'limit.tool_calls', { toolCalls: 9 }],
    ['tokens', { tokens: 12 }, 'limit.tokens', { tokens: 99 }],
    ['time', { time: 1 }, 'limit.time', { time: 99_999 }],
  ] as const)(
    '%s suspends with its reason and goes on when raised',
    async (_, limits, reason, raised) => {
      const { agent } = scriptedAgent([callNote('a'), answer('ok')], { limits });
      const run = agent.start('task');
      expect(await run.outcome).toMatchObject({ status: 'suspended', reason });
      expect(run.resume({ repairs: 9 })).toMatchObject({ accepted: false, code: 'not_raised' });
      expect(run.resume(raised)).toEqual({ accepted: true });
      expect(await run.outcome).toMatchObject({ status: 'done', answer: 'ok' });
    },
  );

  it('a reply with more calls than the cap runs none of them, and says so', async () => {
    const { agent, model, started } = scriptedAgent([callNote('a', 'b', 'c'), answer('ok')], {
      limits: { callsPerReply: 2 },
    });
    expect((await agent.start('task').outcome).status).toBe('done');
    expect(started).toEqual([]);
    expect(said(model.requests[1], 'user').at(-1)).toContain('2');
  });

  it('the same call with the same result three times rests, and starts anew on resume', async () => {
    const { agent } = scriptedAgent([callNote('a'), callNote('a'), callNote('a'), answer('ok')]);
    const run = agent.start('task');
    expect(await run.outcome).toMatchObject({ status: 'suspended', reason: 'limit.repeated_call' });
    run.resume();
    expect((await run.outcome).status).toBe('done');
  });

  it('malformed replies are mended a few times, then the run rests', async () => {
    const { agent, model } = scriptedAgent(['', '', answer('ok')], { limits: { repairs: 1 } });
    const run = agent.start('task');
    expect(await run.outcome).toMatchObject({ status: 'suspended', reason: 'limit.repairs' });
    run.resume({ repairs: 2 });
    expect(await run.outcome).toMatchObject({ status: 'done', answer: 'ok' });
    expect(said(model.requests[2], 'user')).toHaveLength(3);
  });
});
