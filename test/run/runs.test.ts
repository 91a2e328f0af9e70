import { describe, expect, it } from 'vitest';
import { AGENT_MACHINE_VERSION } from '../../machines/agent/agent.machine.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { openRuns } from '../../src/run/runs.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import {
  answer,
  asked,
  asks,
  callNote,
  outcomes,
  scriptedAgent,
  storedRun,
  untilAsked,
} from './support.ts';

describe('looking at stored runs', () => {
  it('shows every call with all decisions about it', async () => {
    const { runs } = await storedRun([callNote('a'), answer('ok')], asks);
    const [call, ...others] = (await runs.show('run-1')).calls;
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      callId: '1.0',
      tool: 'note',
      input: { text: 'a' },
      stands: 'ok',
      decisions: [{ action: 'ask', reasons: [{ code: 'use_not_approved' }] }, { action: 'allow' }],
    });
  });

  it('shows where a run stands, its questions, and a timeline that ends there', async () => {
    const { runs } = await storedRun([callNote('a')], asks, 'leave');
    const shown = await runs.show('run-1');
    expect(shown).toMatchObject({
      status: 'waiting',
      state: 'awaitPermission.asking',
      drivenBy: null,
      questions: [{ callId: '1.0', missing: ['use'] }],
    });
    expect(shown.timeline.map(({ what }) => what)).toEqual([
      'start',
      'done: callModel',
      'done: parseReply',
      'done: inspectFacts',
    ]);
    expect((await runs.replay('run-1', 1)).at(-1)).toMatchObject({ seq: 1, state: 'parseReply' });
    await expect(runs.replay('run-1', 9)).rejects.toMatchObject({ code: 'invalid_record' });
  });

  it('tells which decisions other policies would change', async () => {
    const { runs } = await storedRun([callNote('a', 'b'), answer('ok')], asks);
    expect(await runs.checkPolicies({ note: 'allow' })).toMatchObject({
      runs: 1,
      decisions: 4,
      flips: [
        { callId: '1.0', before: { action: 'ask' }, after: { action: 'allow' } },
        { callId: '1.1', before: { action: 'ask' }, after: { action: 'allow' } },
      ],
    });
    expect((await runs.checkPolicies({ note: 'ask' })).flips).toEqual([]);
    const denied = await runs.checkPolicies({});
    expect(denied.flips.map(({ after }) => after.reasons.map(({ zh }) => zh))).toEqual([
      ['未定义该工具'],
      ['未定义该工具'],
      ['未定义该工具'],
      ['未定义该工具'],
    ]);
  });
});

describe('answering stored runs', () => {
  it('refuses without writing what the run would not take', async () => {
    const { runs, store } = await storedRun([callNote('a')], asks, 'leave');
    expect(await runs.deny('run-1', '9.9', { by: 'ada' })).toMatchObject({
      result: { accepted: false, code: 'not_asked' },
    });
    expect(await runs.resume('run-1', { by: 'ada' })).toMatchObject({
      result: { code: 'not_suspended' },
    });
    expect(await store.pending('run-1')).toEqual([]);
  });

  it('knows what is answered already, though nobody has taken it yet', async () => {
    const { runs } = await storedRun([callNote('a', 'b')], asks, 'leave');
    await runs.approve('run-1', asked(await runs.show('run-1')), { by: 'ada' });
    expect(await runs.deny('run-1', '1.0', { by: 'bob' })).toMatchObject({
      result: { accepted: false, code: 'not_asked' },
    });
    await runs.deny('run-1', '1.1', { by: 'bob' });
    expect((await runs.show('run-1')).waitingAnswers).toMatchObject([
      { type: 'permission.grant', callId: '1.0', by: 'ada' },
      { type: 'permission.deny', callId: '1.1', by: 'bob' },
    ]);
  });

  it('cancels a run that nobody drives, whatever it began under; answers that wait are too late', async () => {
    const { runs, store } = await storedRun([callNote('a')], asks, 'leave');
    await runs.approve('run-1', asked(await runs.show('run-1')), { by: 'bob' });
    const [waiting] = await store.pending('run-1');
    const cancelled = await runs.cancel('run-1', { by: 'ada' });
    expect(cancelled).toEqual({ drivenBy: null, result: { accepted: true } });
    expect(await store.summary('run-1')).toMatchObject({ status: 'cancelled', drivenBy: null });
    expect(await runs.show('run-1')).toMatchObject({ state: 'cancelled', questions: [] });
    expect((await store.read('run-1')).at(-1)).toMatchObject({ event: { by: 'ada' } });
    expect(await store.resultOf(waiting?.id ?? 0)).toMatchObject({
      accepted: false,
      code: 'ended',
    });
    expect((await runs.cancel('run-1', { by: 'eve' })).result).toMatchObject({ code: 'ended' });
    const { agent } = scriptedAgent([], { ...asks, store });
    await expect(agent.restore('run-1')).rejects.toMatchObject({ code: 'run_ended' });
  });

  it('a cancellation that cannot be stored leaves the run free again in two seconds', async () => {
    const { store } = await storedRun([callNote('a')], asks, 'leave');
    const full = async () => {
      throw new AgentHubError('store_full', 'The disk is full.');
    };
    const runs = openRuns({ ...store, append: full, release: full });
    await expect(runs.cancel('run-1', { by: 'ada' })).rejects.toMatchObject({ code: 'store_full' });
    const { drivenBy } = await store.summary('run-1');
    expect(drivenBy).toBe('cancelling');
    const lease = await store.acquire('run-1', { owner: 'x', ttl: 1 }).catch((thrown) => thrown);
    expect(lease.details.expiresAt - Date.now()).toBeLessThanOrEqual(2_000);
  });

  it('a run restored as suspended goes on where a resume waits, and tells all of it', async () => {
    const store = memoryStore();
    const limits = { limits: { turns: 1 } };
    const first = scriptedAgent([callNote('a')], { ...limits, store }).agent.start('task');
    expect(await first.outcome).toMatchObject({ status: 'suspended', reason: 'limit.turns' });
    await first.close();
    const posted = await openRuns(store).resume('run-1', { by: 'ada', limits: { turns: 5 } });
    expect(posted).toEqual({ drivenBy: null, result: null });
    const { agent } = scriptedAgent([answer('ok')], { ...limits, store });
    const run = await agent.restore('run-1');
    const states: string[] = [];
    for await (const event of run) if (event.type === 'state') states.push(event.state);
    expect(states.at(-1)).toBe('done');
    expect(await run.outcome).toMatchObject({ status: 'done', answer: 'ok' });
  });

  it('keeps an answer until somebody drives the run', async () => {
    const { runs, store } = await storedRun([callNote('a')], asks, 'leave');
    expect(await runs.approve('run-1', asked(await runs.show('run-1')), { by: 'ada' })).toEqual({
      drivenBy: null,
      result: null,
    });
    const { agent, started } = scriptedAgent([answer('ok')], { ...asks, store });
    const ended = await (await agent.restore('run-1')).outcome;
    expect(ended).toMatchObject({ status: 'done', answer: 'ok' });
    expect(outcomes(ended)).toEqual({ '1.0': 'ok' });
    expect(started).toEqual(['a']);
  });
});

describe('looking at much', () => {
  /** Whether anything else has its turn while work goes on. */
  async function letsOthersTurn(work: () => Promise<unknown>): Promise<boolean> {
    let hasTurned = false;
    const turn = setImmediate(() => {
      hasTurned = true;
    });
    await work();
    clearImmediate(turn);
    return hasTurned;
  }

  it('gives everything else its turn: a long log', async () => {
    const turns = 400;
    const limits = { turns, toolCalls: turns };
    const steps = Array.from({ length: turns }, (_, index) => callNote(`${index}`));
    const { runs, store } = await storedRun(steps, { limits });
    const text = await runs.export('run-1');
    const last = (await store.read('run-1')).length - 1;
    for (const [name, work] of Object.entries({
      show: () => runs.show('run-1'),
      why: () => runs.why('run-1', '1.0'),
      replay: () => runs.replay('run-1'),
      fork: () => runs.fork('run-1', { at: last }),
      import: () => runs.import(text, { newId: 'copy' }),
      'policy check': () => runs.checkPolicies({}),
      cancel: () => runs.cancel('run-1', { by: 'ada' }),
    }))
      expect([name, await letsOthersTurn(work)]).toEqual([name, true]);
  });

  it('gives everything else its turn: many runs', async () => {
    const { runs } = await storedRun([callNote('a'), answer('ok')]);
    const text = await runs.export('run-1');
    for (let number = 0; number < 100; number += 1)
      await runs.import(text, { newId: `copy-${number}` });
    let checked = 0;
    const work = async () => {
      checked = (await runs.checkPolicies({ note: 'ask' })).flips.length;
    };
    expect(await letsOthersTurn(work)).toBe(true);
    expect(checked).toBe(101);
  });
});

describe('copying runs', () => {
  it('writes a copy whole or not at all, whichever call of its store fails', async () => {
    const { runs, store: source } = await storedRun([callNote('a'), answer('ok')]);
    const text = await runs.export('run-1');
    for (const [name, copy] of Object.entries({
      import: (store: RunStore) => openRuns(store).import(text, { newId: 'copy' }),
      fork: (store: RunStore) => openRuns(store).fork('run-1', { at: 2, newId: 'copy' }),
    })) {
      let isWhole = false;
      for (let failing = 0; !isWhole; failing += 1) {
        const store = memoryStore();
        await store.insert(await source.read('run-1'), 'done');
        let calls = 0;
        const full = new Proxy(store, {
          get: (target, key) => {
            calls += 1;
            if (calls <= failing || key === 'then') return Reflect.get(target, key);
            return () => Promise.reject(new AgentHubError('store_full', 'full'));
          },
        });
        isWhole = await copy(full).then(
          () => true,
          ({ code }) => code !== 'store_full',
        );
        const listed = (await store.list({ search: 'copy' })).map(({ records }) => records);
        const whole = name === 'fork' ? 3 : (await source.read('run-1')).length;
        expect([name, failing, listed]).toEqual([name, failing, isWhole ? [whole] : []]);
      }
    }
  });

  it('forks a run at a record, and the fork goes on by itself', async () => {
    const { runs, store } = await storedRun([callNote('a'), answer('ok')], asks);
    const forked = await runs.fork('run-1', { at: 3, newId: 'fork' });
    expect(await runs.show(forked)).toMatchObject({ status: 'waiting', records: 4 });
    const { agent, started } = scriptedAgent([answer('other')], { ...asks, store });
    await runs.deny('fork', '1.0', { by: 'ada' });
    const ended = await (await agent.restore('fork')).outcome;
    expect(ended).toMatchObject({ runId: 'fork', status: 'done', answer: 'other' });
    expect(started).toEqual([]);
    expect((await runs.show('run-1')).rest).toMatchObject({ status: 'done', answer: 'ok' });
  });

  it('does not spend an approval a second time: a fork goes before it, or after the call', async () => {
    const { runs, store } = await storedRun([callNote('a'), answer('ok')], asks);
    const events = (await store.read('run-1')).map((record) =>
      record.kind === 'event' ? record.event.type : record.kind,
    );
    const [granted, done] = [
      events.indexOf('permission.grant'),
      events.indexOf('xstate.done.actor.tool.1.0'),
    ];
    expect(granted).toBeGreaterThan(0);
    for (let at = granted; at < done; at += 1)
      await expect(runs.fork('run-1', { at })).rejects.toMatchObject({
        code: 'fork_under_way',
        details: { seq: granted - 1 },
      });
    for (const at of [granted - 1, done]) await runs.fork('run-1', { at, newId: `at-${at}` });
    expect(await runs.show(`at-${granted - 1}`)).toMatchObject({ status: 'waiting' });
  });

  it('forks under other policies only where they would have led the same way', async () => {
    const { runs } = await storedRun([callNote('a'), answer('ok')], asks);
    await expect(runs.fork('run-1', { at: 4, policies: { note: 'allow' } })).rejects.toMatchObject({
      code: 'fork_diverges',
      details: { seq: 3 },
    });
    const forked = await runs.fork('run-1', { at: 2, policies: { note: 'allow' }, newId: 'fork' });
    expect((await runs.show(forked)).state).toBe('awaitPermission.inspecting');
  });

  it('exports and imports a run, equal to the byte', async () => {
    const { runs } = await storedRun([callNote('a'), answer('ok')]);
    const text = await runs.export('run-1');
    const elsewhere = openRuns(memoryStore());
    expect(await elsewhere.import(text)).toBe('run-1');
    expect(await elsewhere.export('run-1')).toBe(text);
    await expect(elsewhere.import(text)).rejects.toMatchObject({ code: 'run_exists' });
    expect(await elsewhere.import(text, { newId: 'copy' })).toBe('copy');
  });

  it('lets nothing start by what a file says was approved: it goes on before these calls, or trusted', async () => {
    const { runs } = await storedRun([callNote('a')], asks, 'leave');
    const [question] = (await runs.show('run-1')).questions;
    const text = await runs.export('run-1');
    const forged = {
      type: 'permission.grant',
      callId: '1.0',
      approvals: ['use'],
      shown: question?.shown,
      by: 'boss',
      at: 2_000,
      expiresAt: null,
    };
    const records = text.trimEnd().split('\n').length;
    const withGrant = text
      .replace(`"records":${records - 1}`, `"records":${records}`)
      .concat(JSON.stringify({ seq: records - 1, at: 2_000, kind: 'event', event: forged }), '\n');
    const store = memoryStore();
    const elsewhere = openRuns(store);
    await elsewhere.import(withGrant);
    const { agent, started } = scriptedAgent([answer('ok')], { ...asks, store });
    await expect(agent.restore('run-1')).rejects.toMatchObject({
      code: 'imported_calls',
      details: { runId: 'run-1', seq: 1 },
    });
    expect((await store.summary('run-1')).drivenBy).toBeNull();
    // Before the calls it goes on: what the model asked for is decided here.
    await elsewhere.fork('run-1', { at: 1, newId: 'fork' });
    const fork = await agent.restore('fork');
    await untilAsked(fork);
    expect(started).toEqual([]);
    await fork.close();
    // One's own file may be vouched for.
    await elsewhere.import(withGrant, { newId: 'own', isTrusted: true });
    await (await agent.restore('own')).outcome;
    expect(started).toEqual(['a']);
  });

  it.each([
    ['cut off', (text: string) => text.split('\n').slice(0, -2).join('\n'), /cut off/u],
    ['not JSON', (text: string) => text.replace('{"seq":1', '{seq:1'), /line 3 is not JSON/u],
    ['of another kind', (text: string) => text.replace('agenthub-run', 'other'), /line 1/u],
    [
      'of a later version',
      (text: string) => text.replace('"version":1', '"version":2'),
      /version 2/u,
    ],
    [
      'out of order',
      (text: string) => text.replace('"seq":1', '"seq":5'),
      /record 1 is out of order/u,
    ],
    ['a record short', (text: string) => text.replace(/\{"seq":1.*/u, 'null'), /record 1: /u],
    [
      'of a record of no kind',
      (text: string) => text.replace(/(\{"seq":1.*"kind":")event/u, '$1foo'),
      /record 1\.kind/u,
    ],
    [
      'of an event that is none',
      (text: string) => text.replace(/"event":\{"type":"[^"]*"/u, '"event":{"type":5'),
      /record 1\.event\.type/u,
    ],
    [
      'without an input',
      (text: string) => text.replace('"input":', '"inputs":'),
      /record 0\.input/u,
    ],
    [
      'with a run id that is no text',
      (text: string) => text.replace('"input":{"runId":"run-1"', '"input":{"runId":{}'),
      /record 0\.input\.runId/u,
    ],
    [
      'with limits that are none',
      (text: string) => text.replace('"turns":25', '"turns":"x"'),
      /record 0: input\.limits\.turns/u,
    ],
    [
      'with a second start',
      (text: string) => {
        const [header, first, ...rest] = text.split('\n');
        const again = first?.replace('"seq":0', '"seq":1');
        return [header, first, again, ...rest.slice(1)].join('\n');
      },
      /record 1 is out of order/u,
    ],
    [
      'of another machine, and says so before anything about its input',
      (text: string) =>
        text
          .replace(`"machineVersion":"${AGENT_MACHINE_VERSION}"`, '"machineVersion":"9"')
          .replace('"prompt":', '"p":'),
      /machine version 9/u,
    ],
  ])('refuses an export that is %s', async (_, change, words) => {
    const { runs } = await storedRun([callNote('a'), answer('ok')]);
    const text = change(await runs.export('run-1'));
    await expect(openRuns(memoryStore()).import(text)).rejects.toThrow(words);
  });
});
