import { describe, expect, it } from 'vitest';
import { createAgent } from '../../src/run/create-agent.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { outside } from './paying-agent.ts';
import { outcomes } from './support.ts';

describe('answers from elsewhere', () => {
  const grantOf = (shown: string, callId: string) =>
    ({
      type: 'permission.grant',
      callId,
      approvals: ['use'],
      shown,
      by: 'eve',
      at: 9,
      expiresAt: null,
    }) as const;

  it('are taken by the driver, once each, and what became of them is told', async () => {
    const store = memoryStore();
    const { effects, options } = outside();
    const run = createAgent(options(store, false)).start('pay both');
    const posted: number[] = [];
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      const [first, second] = event.questions;
      if (!first || !second) throw new Error('two questions expected');
      posted.push(await store.post('run', grantOf(first.shown, first.callId)));
      posted.push(await store.post('run', grantOf(first.shown, first.callId)));
      posted.push(await store.post('run', { type: 'xstate.done.actor.tool.1.1' } as never));
      posted.push(await store.post('run', grantOf(second.shown, second.callId)));
    }
    expect(outcomes(await run.outcome)).toEqual({ '1.0': 'ok', '1.1': 'ok' });
    const results = await Promise.all(posted.map((id) => store.resultOf(id)));
    expect(results.map((result) => (result?.accepted ? 'taken' : result?.code))).toEqual([
      'taken',
      'not_asked',
      'not_an_answer',
      'taken',
    ]);
    expect(effects).toHaveLength(2);
  });

  it('that come behind the one that ends the run are refused as late', async () => {
    const store = memoryStore();
    const { options } = outside();
    const run = createAgent(options(store, false)).start('pay both');
    const posted: number[] = [];
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      posted.push(await store.post('run', { type: 'run.cancel', by: 'ada', at: 9 }));
      posted.push(await store.post('run', { type: 'run.cancel', by: 'eve', at: 9 }));
    }
    expect(await run.outcome).toMatchObject({ status: 'cancelled' });
    expect(await Promise.all(posted.map((id) => store.resultOf(id)))).toMatchObject([
      { accepted: true },
      { accepted: false, code: 'ended' },
    ]);
  });

  it('that nobody got to before the run was let go of wait for the next driver', async () => {
    const store = memoryStore();
    const { options } = outside();
    let closing: Promise<void> | undefined;
    // The driver lets go just after it has taken the first of two answers.
    const letsGo: RunStore = {
      ...store,
      append: async (lease, records, given) => {
        await store.append(lease, records, given);
        if ((given.settled ?? []).length > 0) closing ??= run.close();
      },
    };
    const run = createAgent(options(letsGo, false)).start('pay both');
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      const [first, second] = event.questions;
      if (!first || !second) throw new Error('two questions expected');
      await store.post('run', grantOf(first.shown, first.callId));
      await store.post('run', grantOf(second.shown, second.callId));
    }
    await closing;
    expect(await store.pending('run')).toHaveLength(1);
    const again = await createAgent(options(store, false)).restore('run');
    expect(outcomes(await again.outcome)).toEqual({ '1.0': 'ok', '1.1': 'ok' });
    expect(await store.pending('run')).toEqual([]);
  });

  it('given while nobody drove the run are taken when somebody does', async () => {
    const store = memoryStore();
    const { effects, options } = outside();
    const run = createAgent(options(store, false)).start('pay both');
    let shown: readonly string[] = [];
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      shown = event.questions.map((question) => question.shown);
      await run.saved();
      await run.close();
    }
    expect((await store.list())[0]).toMatchObject({ status: 'waiting', drivenBy: null });
    await store.post('run', grantOf(shown[0] ?? '', '1.0'));
    await store.post('run', {
      type: 'permission.deny',
      callId: '1.1',
      reason: 'no',
      by: 'eve',
      at: 9,
    });
    const again = await createAgent(options(store, false)).restore('run');
    expect(outcomes(await again.outcome)).toEqual({ '1.0': 'ok', '1.1': 'denied' });
    expect(effects).toEqual(['a run/1.0/1']);
  });
});
