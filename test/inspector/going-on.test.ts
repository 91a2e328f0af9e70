import { describe, expect, it } from 'vitest';
import type { AnswerReply, RunPage } from '../../src/inspector/api.types.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { answer, callNote, scriptedAgent } from '../run/support.ts';
import { inspected } from './inspected.ts';
import { asks, startRun, untilStoredQuestion } from './seed.ts';

/** A stored run that waits for a word about a note, driven by nobody. */
async function leftWaiting(store: RunStore = memoryStore()) {
  const { run } = startRun([callNote('a')], { ...asks, store });
  await untilStoredQuestion(run);
  await run.close();
  return { store, path: `/api/runs/${run.id}`, runId: run.id };
}

/** A stored run that its limit of model requests suspended, driven by nobody. */
async function leftSuspended() {
  const store = memoryStore();
  const { run } = startRun([callNote('a')], { store, limits: { turns: 1 } });
  expect((await run.outcome).status).toBe('suspended');
  await run.close();
  return { store, path: `/api/runs/${run.id}`, runId: run.id };
}

/** The process that takes runs up: its model says what comes next. */
function taker(store: RunStore, options: Parameters<typeof scriptedAgent>[1] = {}) {
  const { agent, started } = scriptedAgent([answer('ok')], { now: Date.now, ...options, store });
  return { restore: agent.restore, started };
}

describe('a run goes on from the page', () => {
  it('takes the answers that wait, and goes on to its end', async () => {
    const { store, path, runId } = await leftWaiting();
    const { restore, started } = taker(store, asks);
    const server = await inspected(store, { restore });
    const { run } = await server.get<RunPage>(path);
    expect(run.goesOn).toBe('here');
    const { callId, digest } = run.questions[0] ?? {};
    const kept = await server.command(`${path}/answer`, { callId, digest, answer: 'approve' });
    expect(kept.json).toEqual({ result: null, drivenBy: null });
    expect(started).toEqual([]);
    const gone = await server.command(`${path}/resume`, {});
    expect([gone.status, (gone.json as AnswerReply).result]).toEqual([200, { accepted: true }]);
    await untilStatus(store, runId, 'done');
    expect(started).toEqual(['a']);
    expect((await server.get<RunPage>(path)).run).toMatchObject({ answer: 'ok', goesOn: null });
  });

  it('asks again where nothing is answered, and is driven here', async () => {
    const { store, path, runId } = await leftWaiting();
    const { restore, started } = taker(store, asks);
    const server = await inspected(store, { restore });
    const reply = await server.command(`${path}/resume`, {});
    expect((reply.json as AnswerReply).drivenBy).toMatch(/:\d+$/u);
    const { run } = await server.get<RunPage>(path);
    expect(run).toMatchObject({ state: 'awaitPermission.asking', goesOn: null });
    const { callId, digest } = run.questions[0] ?? {};
    const denied = await server.command(`${path}/answer`, { callId, digest, answer: 'deny' });
    expect((denied.json as AnswerReply).result).toEqual({ accepted: true });
    await untilStatus(store, runId, 'done');
    expect(started).toEqual([]);
  });

  it('goes on behind a raised limit only, and says what must be raised', async () => {
    const { store, path, runId } = await leftSuspended();
    const server = await inspected(store, taker(store));
    const { run } = await server.get<RunPage>(path);
    expect(run.suspension).toEqual({
      reason: 'limit.turns',
      message: '',
      limit: { name: 'turns', value: 1 },
    });
    for (const limits of [{}, { turns: 1 }, { tokens: 9 }]) {
      const refused = await server.command(`${path}/resume`, { limits });
      expect([refused.status, refused.code]).toEqual([409, 'not_raised']);
    }
    expect((await server.command(`${path}/resume`, { limits: { turns: 0 } })).status).toBe(400);
    expect((await store.list())[0]).toMatchObject({ status: 'suspended', drivenBy: null });
    expect((await server.command(`${path}/resume`, { limits: { turns: 2 } })).status).toBe(200);
    await untilStatus(store, runId, 'done');
    const resumed = (await store.read(runId)).find(
      (record) => record.kind === 'event' && record.event.type === 'run.resume',
    );
    expect(resumed).toMatchObject({ event: { by: 'web', limits: { turns: 2 } } });
  });

  it('is let go of when the server closes, and can be taken up again', async () => {
    const { store, path, runId } = await leftWaiting();
    const server = await inspected(store, taker(store, asks));
    await server.command(`${path}/resume`, {});
    await server.close();
    expect((await store.list())[0]).toMatchObject({ status: 'waiting', drivenBy: null });
    const again = await inspected(store, taker(store, asks));
    expect((await again.command(`${path}/resume`, {})).status).toBe(200);
    expect((await store.list())[0]?.drivenBy).not.toBeNull();
    expect((await store.list())[0]?.runId).toBe(runId);
  });

  it('is refused in words when the run began under other rules, and nothing is written', async () => {
    const { store, path } = await leftWaiting();
    const server = await inspected(store, taker(store));
    const before = await store.list();
    const refused = await server.command(`${path}/resume`, {});
    expect([refused.status, refused.code]).toEqual([409, 'policies_changed']);
    const [row] = await store.list();
    expect(row).toMatchObject({ records: before[0]?.records, drivenBy: null });
  });

  it('one of two tabs takes it up', async () => {
    const { store, path } = await leftWaiting();
    const server = await inspected(store, taker(store, asks));
    const replies = await Promise.all([1, 2].map(() => server.command(`${path}/resume`, {})));
    expect(replies.map(({ status, code }) => [status, code])).toEqual([
      [200, undefined],
      [409, 'not_suspended'],
    ]);
  });

  it('stops a run that nobody drives, at once', async () => {
    const { store, path, runId } = await leftWaiting();
    const { restore, started } = taker(store, asks);
    const server = await inspected(store, { restore });
    expect((await server.command(`${path}/cancel`, {})).status).toBe(200);
    await untilStatus(store, runId, 'cancelled');
    expect(started).toEqual([]);
  });

  it('is offered only where it can be: not without an agent, not to its end', async () => {
    const { store, path } = await leftWaiting();
    const server = await inspected(store);
    expect((await server.get<RunPage>(path)).run.goesOn).toBeNull();
    const refused = await server.command(`${path}/resume`, {});
    expect([refused.status, refused.code]).toEqual([409, 'not_suspended']);
  });

  it('asks the driver of a suspended run to resume it', async () => {
    const store = memoryStore();
    const script = [callNote('a'), answer('ok')];
    const { run } = startRun(script, { store, limits: { turns: 1 } });
    await run.outcome;
    await run.saved();
    const server = await inspected(store);
    const path = `/api/runs/${run.id}`;
    expect((await server.get<RunPage>(path)).run.goesOn).toBe('driver');
    const reply = await server.command(`${path}/resume`, { limits: { turns: 5 } });
    expect((reply.json as AnswerReply).result).toEqual({ accepted: true });
    expect(await run.outcome).toMatchObject({ status: 'done', answer: 'ok' });
  });
});

/** Resolves once the store says so: the run is driven by the server, out of our hands. */
async function untilStatus(store: RunStore, runId: string, status: string): Promise<void> {
  while (true) {
    const found = (await store.list()).find((run) => run.runId === runId);
    if (found?.status === status && found.drivenBy === null) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
