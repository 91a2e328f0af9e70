import { describe, expect, it } from 'vitest';
import { denialOf, grantOf } from '../../machines/agent/agent.orders.ts';
import { DEFAULT_LIMITS } from '../../machines/agent/agent.types.ts';
import { questionsOf } from '../../machines/agent/agent.view.ts';
import { startMachine } from './doubles.ts';

/** A run that waits for a person's word about its one call. */
async function waiting() {
  const run = startMachine({}, { policies: { note: 'ask' } });
  const snapshot = await run.settled();
  const [question] = questionsOf(snapshot);
  if (question === undefined) throw new Error('nothing is asked');
  const grant = {
    type: 'permission.grant',
    callId: '1.0',
    approvals: ['use'],
    shown: question.shown,
    by: 'Ada',
    at: 5,
    expiresAt: null,
  };
  return { ...run, grant, send: (event: unknown) => run.actor.send(event as never) };
}

describe('orders that are none', () => {
  it('grant nothing and break nothing', async () => {
    const { actor, errors, grant, send, startsOf } = await waiting();
    const before = actor.getSnapshot().context;
    for (const changes of [
      { approvals: undefined },
      { approvals: null },
      { approvals: 'use' },
      { approvals: [] },
      { approvals: ['use', 'everything'] },
      { approvals: ['constructor'] },
      { approvals: [['use']] },
      { approvals: { 0: 'use', length: 1 } },
      { approvals: ['use', 'overwrite'] },
      { shown: undefined },
      { shown: '' },
      { shown: `${grant.shown} ` },
      { callId: '9.9' },
      { callId: ['1.0'] },
      { callId: undefined },
      { by: undefined },
      { at: 'now' },
      { at: Number.NaN },
      { expiresAt: 'never' },
      { expiresAt: Number.POSITIVE_INFINITY },
    ]) {
      send({ ...grant, ...changes });
    }
    for (const event of [
      { type: 'permission.deny' },
      { type: 'permission.deny', callId: null, reason: 7 },
      { type: 'run.resume' },
      { type: 'run.resume', limits: null },
      { type: 'permission.everything', callId: '1.0' },
    ]) {
      send(event);
    }
    expect(errors).toEqual([]);
    expect(actor.getSnapshot().context).toEqual(before);
    expect(actor.getSnapshot().matches({ awaitPermission: 'asking' })).toBe(true);
    expect(startsOf('tool')).toBe(0);
    actor.stop();
  });

  it('leave the real one standing', async () => {
    const { grant, send, settledAtRest, startsOf } = await waiting();
    send({ ...grant, approvals: ['use', 'use'], extra: () => 1 });
    expect((await settledAtRest()).context.rest?.status).toBe('done');
    expect(startsOf('tool')).toBe(1);
  });

  it('a no stands even when its reason cannot be read', async () => {
    const { actor, send, settledAtRest, startsOf } = await waiting();
    send({ type: 'permission.deny', callId: '1.0', reason: { a: 1 }, at: 'now' });
    await settledAtRest();
    expect(startsOf('tool')).toBe(0);
    expect(actor.getSnapshot().context.messages[2]).toMatchObject({
      outcome: 'denied',
      reasons: [{ code: 'person_denied', en: 'The call was not approved' }, {}],
    });
  });
});

describe('run.resume', () => {
  const resume = (limits: unknown) => ({ type: 'run.resume', limits, by: 'Ada', at: 9 }) as never;

  it('takes only a higher count for the limit that stopped the run', async () => {
    const limits = { ...DEFAULT_LIMITS, turns: 1 };
    const { actor, errors, settledAtRest } = startMachine({}, { limits });
    expect((await settledAtRest()).context.rest).toMatchObject({ reason: 'limit.turns' });
    for (const wanted of [
      undefined,
      null,
      7,
      {},
      { turns: 0 },
      { turns: 1 },
      { turns: '99' },
      { turns: null },
      { turns: Number.NaN },
      { turns: Number.POSITIVE_INFINITY },
      { turns: { valueOf: () => 99 } },
      { toolCalls: 999 },
    ]) {
      actor.send(resume(wanted));
      expect(actor.getSnapshot().context.limits).toEqual(limits);
      expect(actor.getSnapshot().value).toBe('suspended');
    }
    actor.send(resume({ turns: 2, repairs: 0, tokens: 9, nonsense: 9 }));
    expect(errors).toEqual([]);
    const { context } = await settledAtRest();
    expect(context.rest).toMatchObject({ status: 'done' });
    // Never below what they were; no limit stays no limit; unknown names are left out.
    expect(context.limits).toEqual({ ...limits, turns: 2 });
  });

  it('needs no raise after the model was away, and takes no nonsense on the way', async () => {
    let away = true;
    const { actor, settledAtRest } = startMachine({
      callModel: () => {
        if (away) throw { code: 'unavailable', message: 'away', details: { retryable: true } };
        throw { code: 'auth', message: 'no' };
      },
    });
    const { context } = await settledAtRest();
    expect(context.rest).toMatchObject({ reason: 'model_unavailable', error: { message: 'away' } });
    away = false;
    actor.send(resume({ turns: null, tokens: 'all', time: Number.NaN }));
    const ended = await settledAtRest();
    expect(ended.context.rest).toMatchObject({ status: 'failed', error: { code: 'auth' } });
    expect(ended.context.limits).toEqual(context.limits);
  });
});

describe('run.cancel', () => {
  it('is taken in whatever form it comes, and closes what is open', async () => {
    const { actor, errors, startsOf } = await waiting();
    actor.send({ type: 'run.cancel' } as never);
    expect(errors).toEqual([]);
    expect(actor.getSnapshot().output).toMatchObject({ status: 'cancelled' });
    expect(actor.getSnapshot().context.messages.at(-1)).toMatchObject({
      callId: '1.0',
      outcome: 'cancelled',
    });
    expect(startsOf('tool')).toBe(0);
  });

  it('while the model is asked counts that request, at an unknown cost', async () => {
    const { actor } = startMachine({ callModel: () => new Promise(() => {}) }, { hooks: [] });
    actor.send({ type: 'run.cancel', by: 'Ada', at: 2 });
    expect(actor.getSnapshot().context.usage).toMatchObject({ requests: 1, unreported: 1 });
  });

  it('before, between and after requests counts none more', async () => {
    const early = startMachine({ userPromptSubmit: () => new Promise(() => {}) });
    early.actor.send({ type: 'run.cancel', by: 'Ada', at: 2 });
    expect(early.actor.getSnapshot().context.usage.requests).toBe(0);

    const { actor } = await waiting();
    actor.send({ type: 'run.cancel', by: 'Ada', at: 2 });
    expect(actor.getSnapshot().context.usage).toMatchObject({ requests: 1, unreported: 0 });

    const away = startMachine({
      callModel: () => {
        throw { code: 'unavailable', message: 'away', details: { retryable: true, requests: [] } };
      },
    });
    await away.settledAtRest();
    away.actor.send({ type: 'run.cancel', by: 'Ada', at: 2 });
    expect(away.actor.getSnapshot().context.usage.requests).toBe(0);
  });
});

describe('answers made from a question', () => {
  /** A run that asks, and its question. */
  async function asking() {
    const run = startMachine({}, { policies: { note: 'ask' } });
    const [question] = questionsOf(await run.settled());
    if (question === undefined) throw new Error('nothing is asked');
    return { ...run, question };
  }
  const by = { by: 'Ada', at: 5 };

  it('name who, when, and what was shown; without more, they give all that is missing', async () => {
    const { question } = await asking();
    const { callId, shown } = question;
    const grant = { type: 'permission.grant', callId, shown, ...by };
    expect(grantOf(question, by)).toEqual({ ...grant, approvals: ['use'], expiresAt: null });
    expect(grantOf(question, { ...by, approvals: [], expiresAt: 9 })).toEqual({
      ...grant,
      approvals: [],
      expiresAt: 9,
    });
    const denial = { type: 'permission.deny', callId, ...by };
    expect(denialOf(question, by)).toEqual({ ...denial, reason: '' });
    expect(denialOf(question, { ...by, reason: 'no' })).toEqual({ ...denial, reason: 'no' });
  });

  it('are taken by the machine', async () => {
    const granted = await asking();
    granted.actor.send(grantOf(granted.question, by));
    expect((await granted.settledAtRest()).context.rest).toMatchObject({ status: 'done' });
    expect(granted.startsOf('tool')).toBe(1);

    const denied = await asking();
    denied.actor.send(denialOf(denied.question, by));
    expect((await denied.settledAtRest()).context.rest).toMatchObject({ status: 'done' });
    expect(denied.startsOf('tool')).toBe(0);
  });
});
