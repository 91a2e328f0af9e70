import { describe, expect, it, onTestFinished } from 'vitest';
import type { ObservationMessage } from '../../machines/vocabulary/messages.ts';
import type { Run, RunEvent, RunOutcome } from '../../src/run/run.types.ts';
import { chunk, json, stream, testEndpoint } from '../model/endpoint.ts';
import {
  answers,
  breaks,
  callsTools,
  expectNoOrphans,
  expectUsageAddsUp,
  fails,
  MODES,
  type Mode,
  requestsOf,
  type SentBody,
  type Served,
  says,
  serve,
  servedAgent,
} from './served.ts';

type More = Parameters<typeof servedAgent>[2];

/** Starts a run of an agent in a mode on a scripted endpoint. */
async function begin(mode: Mode, script: readonly Served[], more: More = {}) {
  const endpoint = await serve(...script);
  onTestFinished(endpoint.stop);
  const { agent, started, waits } = servedAgent(mode, endpoint, more);
  const run = agent.start('task');
  return { run, started, waits, bodies: endpoint.bodies };
}

/** Every contract that holds whatever happened. */
async function expectContracts(mode: Mode, run: Run, bodies: readonly SentBody[]) {
  expectNoOrphans(mode, bodies);
  await expectUsageAddsUp(run, bodies);
  expect(run.trace.filter(({ endedAt }) => endedAt === null)).toEqual([]);
}

const observations = ({ messages }: RunOutcome) =>
  messages.filter((message): message is ObservationMessage => message.role === 'observation');

/** What the last request carried behind the person's words. */
const lastContents = (bodies: readonly SentBody[]) =>
  bodies.at(-1)?.messages.map(({ content }) => content ?? '') ?? [];

const down = fails(500, { message: 'out of order' });
const busy = fails(429, { message: 'Rate limit reached', code: 'rate_limit_exceeded' });

describe.each(MODES)('$protocol, stream: $stream', (mode) => {
  const callNote = callsTools(mode, { name: 'note', input: { text: 'a' } });
  const finish = answers(mode, 'all done');

  it('a run with tools', async () => {
    const { run, started, bodies } = await begin(mode, [
      callNote,
      callsTools(mode, { name: 'sum', input: { numbers: [1, 2] } }),
      finish,
    ]);
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ status: 'done', answer: 'all done' });
    expect(started).toEqual(['note a', 'sum 1+2']);
    expect(bodies.map((body) => body.stream)).toEqual([mode.stream, mode.stream, mode.stream]);
    expect(lastContents(bodies).join('\n')).toMatch(/noted a[^]*\b3$/u);
    expect(outcome.usage).toMatchObject({ requests: 3, inputTokens: 300, outputTokens: 21 });
    await expectContracts(mode, run, bodies);
  });

  it('two calls in one reply', async () => {
    const { run, started, bodies } = await begin(mode, [
      callsTools(
        mode,
        { name: 'note', input: { text: 'a' }, id: 'x' },
        { name: 'sum', input: { numbers: [4] }, id: 'x' },
      ),
      finish,
    ]);
    const outcome = await run.outcome;
    expect(outcome.status).toBe('done');
    if (mode.protocol === 'native-calls') {
      expect(started.sort()).toEqual(['note a', 'sum 4']);
      expect(observations(outcome).map(({ callId, outcome: how }) => [callId, how])).toEqual([
        ['1.0', 'ok'],
        ['1.1', 'ok'],
      ]);
      expect(bodies[1]?.messages.slice(-2).map(({ content }) => content)).toEqual(['noted a', '4']);
    } else {
      // The text protocol takes one action at a time: nothing of the reply runs.
      expect(started).toEqual([]);
      expect(observations(outcome)).toEqual([]);
      expect(outcome.messages.find(({ role }) => role === 'repair')).toMatchObject({
        code: 'multiple_actions',
      });
    }
    await expectContracts(mode, run, bodies);
  });

  it('429: waits as long as Retry-After says, and goes on', async () => {
    const { run, waits, started, bodies } = await begin(mode, [callNote, busy, finish]);
    const outcome = await run.outcome;
    expect(outcome.status).toBe('done');
    expect(waits).toEqual([1_000]);
    expect(started).toEqual(['note a']);
    expect(requestsOf(run).map(({ error }) => error?.split(':')[0] ?? null)).toEqual([
      null,
      'rate_limit',
      null,
    ]);
    expect(outcome.usage).toMatchObject({
      requests: 3,
      inputTokens: 'unknown',
      reported: { inputTokens: 200, outputTokens: 14 },
    });
    await expectContracts(mode, run, bodies);
  });

  it('429 without end: rests as model_unavailable', async () => {
    const { run, waits, bodies } = await begin(mode, [busy, busy, busy]);
    expect(await run.outcome).toMatchObject({
      status: 'suspended',
      reason: 'model_unavailable',
      error: { code: 'rate_limit' },
    });
    expect(waits).toEqual([1_000, 1_000]);
    await expectContracts(mode, run, bodies);
  });

  it('500s that pass', async () => {
    const { run, started, bodies } = await begin(mode, [callNote, down, down, finish]);
    expect(await run.outcome).toMatchObject({ status: 'done', answer: 'all done' });
    expect(started).toEqual(['note a']);
    await expectContracts(mode, run, bodies);
  });

  it('500s that do not pass: rests as model_unavailable, and goes on when resumed', async () => {
    const { run, started, bodies } = await begin(mode, [callNote, down, down, down, finish]);
    const rested = await run.outcome;
    expect(rested).toMatchObject({
      status: 'suspended',
      reason: 'model_unavailable',
      error: { code: 'unavailable' },
    });
    expect(rested.usage).toMatchObject({ requests: 4, inputTokens: 'unknown' });
    await expectContracts(mode, run, bodies);
    expect(run.resume()).toEqual({ accepted: true });
    expect(await run.outcome).toMatchObject({ status: 'done', answer: 'all done' });
    expect(started).toEqual(['note a']);
    expect(bodies[4]?.messages).toEqual(bodies[1]?.messages);
    await expectContracts(mode, run, bodies);
  });

  it('a body that is not JSON: rests with bad_response, and goes on when resumed', async () => {
    const garbled = breaks({ chaos: { malformedRate: 1 } });
    const { run, started, bodies } = await begin(mode, [callNote, garbled, finish]);
    expect(await run.outcome).toMatchObject({
      status: 'suspended',
      reason: 'model_unavailable',
      error: { code: 'bad_response' },
    });
    await expectContracts(mode, run, bodies);
    run.resume();
    expect((await run.outcome).status).toBe('done');
    expect(started).toEqual(['note a']);
    await expectContracts(mode, run, bodies);
  });

  it.each([
    ['cut off', '{"numbers": [1, 2'],
    ['no JSON', 'one and two'],
    ['not an object', '[1, 2]'],
    ['of the wrong shape', '{"numbers": "1"}'],
    ['with too much in them', '{"numbers": [1], "approved": true}'],
  ])('arguments that are %s: an observation, and the run goes on', async (kind, input) => {
    const { run, started, bodies } = await begin(mode, [
      callsTools(mode, { name: 'sum', input }),
      callsTools(mode, { name: 'sum', input: { numbers: [1, 2] } }),
      finish,
    ]);
    const outcome = await run.outcome;
    expect(outcome.status).toBe('done');
    expect(started).toEqual(['sum 1+2']);
    if (kind === 'cut off' && mode.protocol === 'react-text') {
      // An open value says that the reply itself is cut off: that is never a call.
      expect(outcome.messages.find(({ role }) => role === 'repair')).toMatchObject({
        code: 'truncated',
      });
    } else {
      const [first, second] = observations(outcome);
      expect(first).toMatchObject({ callId: '1.0', outcome: 'invalid_arguments' });
      expect(first?.content).not.toBe('');
      expect(lastContents(bodies).join('\n')).toContain(first?.content);
      expect(second).toMatchObject({ callId: '2.0', outcome: 'ok', content: '3' });
    }
    await expectContracts(mode, run, bodies);
  });

  it('a tool that is not there: an observation that names those that are', async () => {
    const { run, bodies } = await begin(mode, [
      callsTools(mode, { name: 'constructor', input: {} }),
      finish,
    ]);
    const [seen] = observations(await run.outcome);
    expect(seen).toMatchObject({ outcome: 'unknown_tool' });
    expect(seen?.content).toContain('note, sum');
    await expectContracts(mode, run, bodies);
  });

  it('a reply that breaks off in the middle: nothing of it counts, and the run can go on', async () => {
    const cut = breaks(
      mode.stream
        ? { truncateAfterChunks: 4, chunkSize: 10, latency: 5 }
        : { chaos: { disconnectRate: 1 } },
    );
    const { run, started, bodies } = await begin(
      mode,
      [callNote, cut, finish],
      // A connection that drops before any reply is tried again; that has its own tests.
      { model: { maxRetries: 0 } },
    );
    const deltas: string[] = [];
    for await (const event of run)
      if (event.type === 'delta' && event.delta.kind === 'text' && event.turn === 2)
        deltas.push(event.delta.text);
    const rested = await run.outcome;
    expect(rested).toMatchObject({
      status: 'suspended',
      reason: 'model_unavailable',
      error: { code: 'unavailable' },
    });
    if (mode.stream) expect(deltas.join('')).toMatch(/^This text/u);
    expect(JSON.stringify(rested.messages)).not.toContain('This text');
    expect(rested.usage).toMatchObject({ requests: 2, inputTokens: 'unknown' });
    await expectContracts(mode, run, bodies);
    run.resume();
    expect((await run.outcome).status).toBe('done');
    expect(started).toEqual(['note a']);
    await expectContracts(mode, run, bodies);
  });

  it.each([
    [401, { message: 'Incorrect API key provided', code: 'invalid_api_key' }, 'auth'],
    [403, { message: 'Not allowed' }, 'auth'],
    [400, { message: 'Too long', code: 'context_length_exceeded' }, 'context_length'],
    [404, { message: 'The model does not exist' }, 'bad_request'],
  ] as const)('%i %o: fails with %s, asked once', async (status, error, code) => {
    const { run, started, bodies } = await begin(mode, [callNote, fails(status, error)]);
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ status: 'failed', error: { code } });
    expect(bodies).toHaveLength(2);
    expect(started).toEqual(['note a']);
    expect(observations(outcome)).toHaveLength(1);
    expect(JSON.stringify([outcome, run.trace])).not.toContain('sk-test');
    expect(run.resume()).toMatchObject({ accepted: false, code: 'ended' });
    await expectContracts(mode, run, bodies);
  });

  it('a reply without anything in it is sent back for mending, then rests', async () => {
    const { run, bodies } = await begin(mode, [says(' '), says(' ')], {
      agent: { limits: { repairs: 1 } },
    });
    expect(await run.outcome).toMatchObject({ status: 'suspended', reason: 'limit.repairs' });
    expect(bodies[1]?.messages.at(-1)?.role).toBe('user');
    await expectContracts(mode, run, bodies);
  });
});

describe.each(MODES)('without usage: $protocol, stream: $stream', (mode) => {
  const reply = (text: string) => {
    const written = mode.protocol === 'native-calls' ? text : `Final Answer: ${text}`;
    if (!mode.stream)
      return json(200, {
        model: 'm',
        choices: [{ message: { content: written }, finish_reason: 'stop' }],
      });
    return stream([chunk({ content: written }, 'stop')]);
  };

  it('the tokens are unknown, never 0', async () => {
    const endpoint = await testEndpoint(reply('all done'));
    const { agent } = servedAgent(mode, { baseURL: endpoint.baseURL });
    const run = agent.start('task');
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ status: 'done', answer: 'all done' });
    expect(outcome.usage).toMatchObject({
      requests: 1,
      inputTokens: 'unknown',
      outputTokens: 'unknown',
    });
    expect(requestsOf(run)).toMatchObject([{ usage: null, error: null }]);
    const bodies = endpoint.received.map(({ body }) => body as unknown as SentBody);
    await expectContracts(mode, run, bodies);
  });
});

describe('a stream of calls that is cut between them', () => {
  const mode: Mode = { protocol: 'native-calls', stream: true };
  const fragment = (index: number, name: string, input: string) =>
    chunk({ tool_calls: [{ index, id: `c${index}`, function: { name, arguments: input } }] });

  it('runs none of them', async () => {
    const endpoint = await testEndpoint(
      stream([fragment(0, 'note', '{"text":"a"}'), fragment(1, 'note', '{"te')], 'cut'),
      stream([fragment(0, 'note', '{"text":"b"}'), chunk({}, 'tool_calls')]),
      stream([chunk({ content: 'all done' }, 'stop')]),
    );
    const { agent, started } = servedAgent(mode, { baseURL: endpoint.baseURL });
    const run = agent.start('task');
    expect(await run.outcome).toMatchObject({ status: 'suspended', reason: 'model_unavailable' });
    expect(started).toEqual([]);
    run.resume();
    expect(await run.outcome).toMatchObject({ status: 'done' });
    expect(started).toEqual(['note b']);
    const bodies = endpoint.received.map(({ body }) => body as unknown as SentBody);
    expect(bodies[1]).toEqual(bodies[0]);
    await expectContracts(mode, run, bodies);
  });

  it('cancelled in the middle: nothing runs, the request is let go', async () => {
    let closed = () => {};
    const letGo = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const endpoint = await testEndpoint((response) => {
      response.once('close', closed);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(fragment(0, 'note', '{"text":"a"}'))}\n\n`);
    });
    const { agent, started } = servedAgent(mode, { baseURL: endpoint.baseURL });
    const run = agent.start('task');
    const events: RunEvent['type'][] = [];
    for await (const event of run) {
      events.push(event.type);
      if (event.type === 'delta') run.cancel();
    }
    const outcome = await run.outcome;
    expect(outcome.status).toBe('cancelled');
    // The request was made; what it cost nobody will say.
    const [request] = requestsOf(run);
    expect(request).toMatchObject({ usage: null, error: 'aborted' });
    const { messages = 0, characters = 0 } = request ?? {};
    expect([messages, characters].every((carried) => carried > 0)).toBe(true);
    expect(outcome.usage).toMatchObject({ requests: 1, inputTokens: 'unknown' });
    expect(outcome.usage).toMatchObject({ messages, characters });
    await letGo;
    expect(started).toEqual([]);
    expect(events.filter((type) => type === 'delta')).toHaveLength(1);
  });
});
