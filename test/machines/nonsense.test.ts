import { describe, expect, it } from 'vitest';
import type { PortName } from '../../machines/agent/agent.ports.ts';
import { isJson } from '../../machines/vocabulary/json.ts';
import type { Message } from '../../machines/vocabulary/messages.ts';
import { modelAnswer, noteCall, type Port, startMachine } from './doubles.ts';

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

const breaking = Object.defineProperty({}, 'verdict', {
  enumerable: true,
  get: () => {
    throw new Error('getter');
  },
});

/** What any port may answer that is no answer. */
const NO_ANSWERS: readonly unknown[] = [
  undefined,
  null,
  {},
  [],
  '',
  'allow',
  0,
  Number.NaN,
  true,
  () => 'allow',
  Symbol('allow'),
  new Date(0),
  cyclic,
  breaking,
];

/** What any port may be rejected with. */
const REJECTIONS: readonly unknown[] = [
  undefined,
  null,
  'no',
  new Error('no'),
  { code: 1, message: 2 },
  { code: 'odd', message: 'no', details: cyclic },
  { code: 'odd', message: 'no', details: () => 1 },
  { code: 'odd', message: 'no', details: { retryable: 'yes', requests: 'many' } },
  { code: 'odd', message: 'no', details: { requests: [null, { usage: {} }] } },
  breaking,
];

const notes = [{ source: 'hook', text: 'because' }];
const forCall = (value: unknown) => ({ '1.0': value });
const facts = { toolName: 'note', touchesPrivate: false };

/** Wrong shapes that come close to an answer, by port. */
const WRONG_SHAPES: Readonly<Record<PortName, readonly unknown[]>> = {
  userPromptSubmit: [
    { verdict: 'allow', context: [], reasons: [] },
    { verdict: 'PROCEED', context: [] },
    { verdict: ['proceed'] },
    { verdict: 'proceed', context: 'text' },
    { verdict: 'proceed', context: [null] },
    { verdict: 'proceed', context: [{ source: 1, text: 'a' }] },
    { verdict: 'proceed', context: null, reasons: [] },
    { verdict: 'failed', context: [], reasons: 7 },
  ],
  callModel: [
    { at: 2 },
    { at: 2, reply: null },
    { at: 2, reply: 'text' },
    { at: 2, reply: { text: 'text' } },
    { at: '2', reply: modelAnswer.reply },
    { at: 2, reply: { ...modelAnswer.reply, requests: 5 } },
    { at: 2, reply: { ...modelAnswer.reply, requests: [null] } },
    { at: 2, reply: { ...modelAnswer.reply, requests: [{ usage: { inputTokens: '9' } }] } },
    { at: 2, reply: { ...modelAnswer.reply, calls: [{ name: 'note' }] } },
    { at: 2, reply: { ...modelAnswer.reply, text: 7 } },
    { at: 2, reply: { ...modelAnswer.reply, extra: () => 1 } },
  ],
  parseReply: [
    { kind: 'answer' },
    { kind: 'answer', text: 'a' },
    { kind: 'answer', text: 'a', answer: 7 },
    { kind: 'calls', text: 'a' },
    { kind: 'calls', text: 'a', calls: null },
    { kind: 'calls', text: 'a', calls: { length: 1 } },
    { kind: 'calls', text: 'a', calls: [null] },
    { kind: 'calls', text: 'a', calls: [{ tool: 'note' }] },
    { kind: 'calls', text: 'a', calls: [{ ...noteCall, problem: undefined }] },
    { kind: 'calls', text: 'a', calls: [{ ...noteCall, problem: 'none' }] },
    { kind: 'calls', text: 'a', calls: [{ ...noteCall, problem: { outcome: 'ok', content: '' } }] },
    { kind: 'calls', text: 'a', calls: [{ ...noteCall, input: () => 1 }] },
    { kind: 'calls', text: 'a', calls: [noteCall, { ...noteCall, tool: 7 }] },
    { kind: 'malformed', text: 'a' },
    { kind: 'malformed', text: 'a', code: 'empty', detail: {} },
    { kind: 'sideways', text: 'a' },
  ],
  preToolUse: [
    { '9.9': { verdict: 'proceed', reasons: [], context: [], input: {} } },
    forCall(null),
    forCall('proceed'),
    forCall({ verdict: 'allow', reasons: [], context: [], input: {} }),
    forCall({ verdict: 'proceed', reasons: [], context: [] }),
    forCall({ verdict: 'proceed', reasons: [], context: [], input: () => 1 }),
    forCall({ verdict: 'proceed', reasons: 'none', context: [], input: {} }),
    forCall({ verdict: 'proceed', reasons: [], context: [7], input: {} }),
    forCall({ verdict: 'block', reasons: 5, context: [], input: {} }),
    forCall(breaking),
  ],
  inspectFacts: [
    { at: 3 },
    { at: 3, facts: null },
    { at: 3, facts: 'none' },
    { at: 3, facts: { '9.9': { ok: true, facts } } },
    { at: 3, facts: forCall(null) },
    { at: 3, facts: forCall({ ok: true }) },
    { at: 3, facts: forCall({ ok: 'true', facts }) },
    { at: 3, facts: forCall({ ok: true, facts: [] }) },
    { at: 3, facts: forCall({ ok: true, facts: { touchesPrivate: () => false } }) },
    { at: 3, facts: forCall({ ok: false, error: 7 }) },
    { at: 'now', facts: forCall({ ok: true, facts }) },
    { facts: forCall({ ok: true, facts }) },
  ],
  approvalDeadline: [{ at: 'now' }, { at: Number.NaN }, { at: null }],
  tool: [
    { outcome: 'done' },
    { outcome: 'denied', content: 'a' },
    { outcome: 'ok', content: 7 },
    { outcome: 'ok', content: 'a', ms: 'long' },
    { outcome: 'ok', content: 'a', ms: 1, at: Number.NaN },
    { outcome: ['ok'], content: 'a' },
  ],
  postToolUse: [
    forCall(null),
    forCall('replaced'),
    forCall({ content: 7 }),
    forCall({ content: 'replaced', context: 'text' }),
    forCall({ content: 'replaced', context: [{}] }),
    forCall({ content: 'replaced', context: [], faults: 7 }),
    forCall(breaking),
  ],
  stop: [
    { verdict: 'proceed', reasons: [] },
    { verdict: true },
    { verdict: 'allow', reasons: 'none' },
    { verdict: 'block', reasons: [null] },
    { verdict: 'block', reasons: 7 },
    { verdict: 'failed', reasons: notes },
  ],
};

const observations = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.role === 'observation' ? [message] : []));

/** Runs the machine with one port replaced; it must rest, whole and JSON. */
async function runWith(name: PortName, port: Port) {
  const policy = name === 'approvalDeadline' ? 'ask' : 'allow';
  const run = startMachine({ [name]: port }, { policies: { note: policy } });
  const { context, status } = await run.settledAtRest();
  expect(run.errors).toEqual([]);
  expect(status).not.toBe('error');
  expect(isJson(context), 'context is JSON').toBe(true);
  const calls = context.messages.flatMap((message) =>
    message.role === 'assistant' ? message.calls.map(({ id }) => id) : [],
  );
  const seen = observations(context.messages);
  expect(seen.map(({ callId }) => callId)).toEqual(calls);
  return { ...run, context, rest: context.rest, observed: seen[0] };
}

type Ended = Awaited<ReturnType<typeof runWith>>;

/** The way the chart takes for an answer that is none. */
const WAYS: Readonly<Record<PortName, (run: Ended) => void>> = {
  userPromptSubmit: ({ rest, startsOf }) => {
    expect(rest).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } });
    expect(startsOf('callModel')).toBe(0);
  },
  callModel: ({ rest, context, startsOf }) => {
    expect(rest).toMatchObject({ status: 'failed', error: { code: 'parse_failed' } });
    expect(startsOf('callModel')).toBe(1);
    expect(context.usage).toMatchObject({ requests: 1, unreported: 1 });
  },
  parseReply: ({ rest, startsOf }) => {
    expect(rest).toMatchObject({ status: 'suspended', reason: 'limit.repairs' });
    expect(startsOf('callModel')).toBe(3);
    expect(startsOf('preToolUse')).toBe(0);
  },
  preToolUse: ({ rest, observed, startsOf }) => {
    expect(observed).toMatchObject({ outcome: 'hook_failed', reasons: [{ code: 'hook_failed' }] });
    expect(startsOf('tool')).toBe(0);
    expect(rest?.status).toBe('done');
  },
  inspectFacts: ({ rest, observed, startsOf }) => {
    expect(observed?.outcome).toBe('facts_unavailable');
    expect(startsOf('tool')).toBe(0);
    expect(rest?.status).toBe('done');
  },
  approvalDeadline: ({ rest, observed, startsOf, context }) => {
    expect(observed).toMatchObject({ outcome: 'expired' });
    expect(observed?.reasons.map(({ code }) => code)).toEqual([
      'deadline_passed',
      'use_not_approved',
    ]);
    expect(startsOf('tool')).toBe(0);
    expect(context.clock.at).toBeGreaterThan(0);
    expect(rest?.status).toBe('done');
  },
  tool: ({ rest, observed, startsOf }) => {
    expect(observed?.outcome).toBe('error');
    expect(startsOf('tool')).toBe(1);
    expect(rest?.status).toBe('done');
  },
  postToolUse: ({ rest, observed }) => {
    expect(observed).toMatchObject({ outcome: 'ok', content: 'noted', context: [] });
    expect(rest?.status).toBe('done');
  },
  stop: ({ rest, context }) => {
    expect(rest).toMatchObject({
      status: 'suspended',
      reason: 'hook_failed',
      partialAnswer: 'the answer',
    });
    expect(context.counters.stopBlocks).toBe(0);
  },
};

/** The way the chart takes when the port is rejected, where it is another one. */
const REJECTED_WAYS: Partial<typeof WAYS> = {
  callModel: ({ rest, startsOf }) => {
    expect(rest).toMatchObject({ status: 'failed' });
    expect(startsOf('parseReply')).toBe(0);
  },
  parseReply: ({ rest, startsOf }) => {
    expect(rest).toMatchObject({ status: 'failed' });
    expect(startsOf('parseReply')).toBe(1);
  },
  userPromptSubmit: ({ rest, startsOf }) => {
    expect(rest).toMatchObject({ status: 'failed' });
    expect(startsOf('callModel')).toBe(0);
  },
};

const PORTS = Object.keys(WAYS) as PortName[];

describe.each(PORTS)('the port %s', (name) => {
  it('that answers nothing takes the way for nonsense', async () => {
    for (const answer of NO_ANSWERS) WAYS[name](await runWith(name, () => answer));
  });

  it('that answers nearly right takes the way for nonsense', async () => {
    for (const answer of WRONG_SHAPES[name]) WAYS[name](await runWith(name, () => answer));
  });

  it('that is rejected with anything takes the way for failures', async () => {
    const way = REJECTED_WAYS[name] ?? WAYS[name];
    for (const rejection of REJECTIONS) {
      way(
        await runWith(name, () => {
          throw rejection;
        }),
      );
    }
  });
});

describe('what cannot be read', () => {
  it('is recorded as a fault where the run goes on as if nothing had been said', async () => {
    const { context } = await runWith('postToolUse', () => null);
    expect(context.faults).toEqual([
      { state: 'postToolHook', error: { code: 'hook_failed', message: expect.any(String) } },
    ]);
    expect((await runWith('postToolUse', () => ({}))).context.faults).toEqual([]);
  });

  it('of one call does not touch another', async () => {
    const { actor, settledAtRest } = startMachine({
      parseReply: ({ turn }) =>
        turn === 1
          ? { kind: 'calls', text: '', calls: [noteCall, noteCall] }
          : { kind: 'answer', text: 'text', answer: 'text' },
      preToolUse: () => ({
        '1.0': { verdict: 'proceed', reasons: [], context: [], input: { text: 'a' } },
        '1.1': { verdict: 'proceed', reasons: null },
      }),
    });
    await settledAtRest();
    const { messages } = actor.getSnapshot().context;
    expect(observations(messages).map(({ outcome }) => outcome)).toEqual(['ok', 'hook_failed']);
  });

  it('a hook that asks without a word is still a question', async () => {
    const { actor, settled, startsOf } = startMachine({
      preToolUse: () => forCall({ verdict: 'ask', reasons: [], context: [], input: { text: 'a' } }),
    });
    await settled();
    expect(actor.getSnapshot().context.calls[0]).toMatchObject({ stage: 'asked' });
    expect(startsOf('tool')).toBe(0);
    actor.stop();
  });
});
