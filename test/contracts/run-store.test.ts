import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type PublicEvent } from '../../machines/agent/agent.types.ts';
import { DEFAULT_POLICIES } from '../../machines/permission/policies.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import type { LogRecord, RunStore, StartRecord } from '../../src/run/store/store.types.ts';

let folder = '';
let time = 0;
const now = () => time;

const STORES: Record<string, () => RunStore> = {
  memory: () => memoryStore({ now }),
  sqlite: () => sqliteStore({ path: join(folder, 'sub', 'runs.db'), now }),
};

function start(runId: string, prompt = 'task'): StartRecord {
  return {
    seq: 0,
    at: time,
    kind: 'start',
    machineVersion: '1',
    input: {
      runId,
      startedAt: time,
      locale: 'en',
      prompt,
      history: [],
      hooks: [],
      policies: DEFAULT_POLICIES,
      limits: DEFAULT_LIMITS,
    },
  };
}

const event = (seq: number, extra: object = {}): LogRecord => ({
  seq,
  at: 5,
  kind: 'event',
  event: { type: 'x', ...extra },
});
const alice = { owner: 'alice', ttl: 100 };
const bob = { owner: 'bob', ttl: 100 };
const cancel: PublicEvent = { type: 'run.cancel', by: 'ada', at: 1 };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthub-store-'));
  time = 1_000;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each(Object.entries(STORES))('a run store: %s', (_, open) => {
  it('keeps a log in order, word for word', async () => {
    const store = open();
    const lease = await store.create(start('a', '任务 🙂'), alice);
    const records = [
      event(1, { text: '字"\u0000\n🙂' }),
      { seq: 2, at: 6, kind: 'intent', callId: '1.0', attempt: 1 } as const,
      ...[
        { type: 'xstate.done.actor.tool.1.0', output: { a: [1] }, actorId: 'tool.1.0' },
        { type: 'xstate.done.actor.tool.1.0', output: null, actorId: 'tool.1.0' },
        { type: 'xstate.done.actor.tool.1.0', actorId: 'tool.1.0' },
        { type: 'xstate.error.actor.x', error: { code: 'c' }, actorId: 'x' },
        { type: 'xstate.error.actor.x', error: 'e', actorId: 'y' },
        { type: 'xstate.done.actor.x', output: 1, actorId: 'x', more: true },
        { type: 'permission.grant', callId: '1.0' },
      ].map((given, index): LogRecord => ({ seq: 3 + index, at: 7, kind: 'event', event: given })),
    ];
    const next = records.length + 1;
    await store.append(lease, records, { durable: true });
    await store.append(lease, [event(next)], { durable: false, status: 'waiting' });
    expect(await store.read('a')).toEqual([start('a', '任务 🙂'), ...records, event(next)]);
    expect(await store.read('a', 2)).toEqual([...records.slice(1), event(next)]);
    expect(await store.read('a', next + 1)).toEqual([]);
    expect(await store.list()).toMatchObject([
      {
        runId: 'a',
        status: 'waiting',
        prompt: '任务 🙂',
        records: next + 1,
        drivenBy: 'alice',
        createdAt: 1_000,
      },
    ]);
    await store.close();
  });

  it('gives what it keeps to nobody to change', async () => {
    const store = open();
    await store.create(start('a'), alice);
    const [first] = await store.read('a');
    try {
      (first as { at: number }).at = 99;
    } catch {
      // Frozen is fine too.
    }
    const other = await store.read('b').catch(({ code }) => code);
    expect(other).toBe('run_unknown');
    await store.close();
  });

  it('refuses a second run of the same id, an unknown run, and a gap, and writes nothing', async () => {
    const store = open();
    const lease = await store.create(start('a'), alice);
    await expect(store.create(start('a'), bob)).rejects.toMatchObject({ code: 'run_exists' });
    await expect(store.acquire('b', bob)).rejects.toMatchObject({ code: 'run_unknown' });
    await expect(store.post('b', cancel)).rejects.toMatchObject({ code: 'run_unknown' });
    await expect(
      store.append(lease, [event(1), event(3)], { durable: false }),
    ).rejects.toMatchObject({
      code: 'log_corrupt',
    });
    expect(await store.read('a')).toHaveLength(1);
    await store.close();
  });

  it('refuses ids that are no text, and the process lives on', async () => {
    const store = open();
    await expect(store.read({} as never)).rejects.toBeInstanceOf(AgentHubError);
    await expect(store.acquire({} as never, { owner: 'a', ttl: 1 })).rejects.toBeInstanceOf(
      AgentHubError,
    );
  });

  it('lets one drive at a time, and says who', async () => {
    const store = open();
    const lease = await store.create(start('a'), alice);
    await expect(store.acquire('a', bob)).rejects.toMatchObject({
      code: 'run_driven',
      details: { owner: 'alice' },
    });
    await store.release(lease);
    expect((await store.list())[0]?.drivenBy).toBeNull();
    const second = await store.acquire('a', bob);
    expect(second.token).toBeGreaterThan(lease.token);
    await store.close();
  });

  it('fences off a driver whose lease lapsed and was taken over', async () => {
    const store = open();
    const old = await store.create(start('a'), alice);
    time += 101;
    const fresh = await store.acquire('a', bob);
    await expect(store.append(old, [event(1)], { durable: false })).rejects.toMatchObject({
      code: 'lease_lost',
    });
    await expect(store.renew(old, 100)).rejects.toMatchObject({ code: 'lease_lost' });
    const settled = [{ id: await store.post('a', cancel), result: { accepted: true } as const }];
    await expect(store.append(old, [], { durable: false, settled })).rejects.toMatchObject({
      code: 'lease_lost',
    });
    expect(await store.pending('a')).toHaveLength(1);
    await store.release(old);
    await store.append(fresh, [event(1)], { durable: false });
    expect(await store.read('a')).toHaveLength(2);
    await store.close();
  });

  it('keeps a lease that is renewed', async () => {
    const store = open();
    const lease = await store.create(start('a'), alice);
    time += 90;
    const renewed = await store.renew(lease, 100);
    expect(renewed).toMatchObject({ owner: 'alice', token: lease.token, expiresAt: 1_190 });
    time += 90;
    await expect(store.acquire('a', bob)).rejects.toMatchObject({ code: 'run_driven' });
    await store.close();
  });

  it('holds a lease when the clock goes back a little, and lets go of it when it goes back far', async () => {
    const store = open();
    const lease = await store.create(start('a'), alice);
    time -= 100;
    await expect(store.acquire('a', bob)).rejects.toMatchObject({ code: 'run_driven' });
    expect((await store.list())[0]?.drivenBy).toBe('alice');
    // Otherwise a dead driver would hold it for as long as the clock went back.
    time -= 1;
    expect((await store.list())[0]?.drivenBy).toBeNull();
    // A driver that lives renews it by the clock as it is now.
    await store.renew(lease, 100);
    await expect(store.acquire('a', bob)).rejects.toMatchObject({ code: 'run_driven' });
    time -= 10_000;
    const taken = await store.acquire('a', bob);
    expect(taken).toMatchObject({ owner: 'bob', expiresAt: time + 100 });
    await expect(store.append(lease, [event(1)], { durable: false })).rejects.toMatchObject({
      code: 'lease_lost',
    });
    await store.close();
  });

  it('keeps answers until the driver has dealt with them, oldest first', async () => {
    const store = open();
    const lease = await store.create(start('a'), alice);
    const [first, second] = [
      await store.post('a', cancel),
      await store.post('a', { ...cancel, by: 'eve' }),
    ];
    expect((await store.pending('a')).map(({ event: { by } }) => by)).toEqual(['ada', 'eve']);
    expect(await store.resultOf(first)).toBeNull();
    const settled = [{ id: first, result: { accepted: true } as const }];
    await expect(
      store.append(lease, [event(7)], { durable: false, settled }),
    ).rejects.toMatchObject({ code: 'log_corrupt' });
    expect(await store.resultOf(first)).toBeNull();
    await store.append(lease, [event(1)], { durable: false, settled });
    expect(await store.resultOf(first)).toEqual({ accepted: true });
    expect((await store.pending('a')).map(({ id }) => id)).toEqual([second]);
    await store.close();
  });

  it('tells of one run by its exact id, as in the list', async () => {
    const store = open();
    for (const id of ['run', 'run-2']) await store.create(start(id, `prompt of ${id}`), alice);
    const listed = await store.list();
    expect(await store.summary('run')).toEqual(listed.find(({ runId }) => runId === 'run'));
    expect((await store.summary('run-2')).prompt).toBe('prompt of run-2');
    await expect(store.summary('ru')).rejects.toMatchObject({ code: 'run_unknown' });
    await expect(store.summary('RUN')).rejects.toMatchObject({ code: 'run_unknown' });
    await store.close();
  });

  it('takes a run out, with its log and its inbox, and no other', async () => {
    const store = open();
    const lease = await store.create(start('a'), alice);
    await store.create(start('b'), alice);
    const cancel = { type: 'run.cancel', by: 'ada', at: 9 } as const;
    const [gone, kept] = [await store.post('a', cancel), await store.post('b', cancel)];
    await expect(store.remove('a')).rejects.toMatchObject({ code: 'run_driven' });
    await store.append(lease, [], {
      durable: false,
      settled: [{ id: gone, result: { accepted: true } }],
    });
    await store.release(lease);
    await store.remove('a');
    for (const asked of [store.read('a'), store.summary('a'), store.remove('a')])
      await expect(asked).rejects.toMatchObject({ code: 'run_unknown' });
    expect((await store.list()).map(({ runId }) => runId)).toEqual(['b']);
    expect([await store.resultOf(gone), await store.pending('a')]).toEqual([null, []]);
    expect((await store.pending('b')).map(({ id }) => id)).toEqual([kept]);
    // The id is free again, and nothing of the old run comes back.
    await store.create(start('a'), alice);
    expect([(await store.read('a')).length, await store.pending('a')]).toEqual([1, []]);
    await store.close();
  });

  it('adds a run with its whole log and status, which nobody drives, or none of it', async () => {
    const store = open();
    const log = [start('a', 'copied'), ...Array.from({ length: 450 }, (_, at) => event(at + 1))];
    await store.insert(log, 'suspended');
    expect(await store.read('a')).toEqual(log);
    expect(await store.summary('a')).toMatchObject({
      ...{ status: 'suspended', prompt: 'copied', records: 451 },
      ...{ createdAt: 1_000, drivenBy: null },
    });
    const lease = await store.acquire('a', alice);
    await store.append(lease, [event(451)], { durable: false });
    expect(await store.read('a', 450)).toEqual([event(450), event(451)]);
    // Whoever comes second, or with a log that is not whole, adds nothing.
    await expect(store.insert(log, 'done')).rejects.toMatchObject({ code: 'run_exists' });
    const gaps = [start('b'), event(2)];
    await expect(store.insert(gaps, 'done')).rejects.toMatchObject({ code: 'log_corrupt' });
    await expect(store.insert([], 'done')).rejects.toMatchObject({ code: 'log_corrupt' });
    expect((await store.list()).map(({ runId, status }) => [runId, status])).toEqual([
      ['a', 'suspended'],
    ]);
    await store.close();
  });

  it('of two that add a run by one id at once, takes one', async () => {
    const store = open();
    const added = await Promise.allSettled([
      store.insert([start('a', 'one'), event(1)], 'done'),
      store.insert([start('a', 'two'), event(1)], 'done'),
    ]);
    const codes = added.map((one) => (one.status === 'rejected' ? one.reason.code : 'added'));
    expect(codes.toSorted()).toEqual(['added', 'run_exists']);
    expect(await store.read('a')).toHaveLength(2);
    await store.close();
  });

  it('fences off the driver of a run that was taken out, also where another has its id', async () => {
    const store = open();
    const old = await store.create(start('a', 'first'), alice);
    time += 101;
    await store.remove('a');
    const fresh = await store.create(start('a', 'second'), alice);
    expect(fresh.token).toBeGreaterThan(old.token);
    const late = store.append(old, [event(1)], { durable: true, status: 'cancelled' });
    await expect(late).rejects.toMatchObject({ code: 'lease_lost' });
    await expect(store.renew(old, 100)).rejects.toMatchObject({ code: 'lease_lost' });
    await store.release(old);
    expect(await store.summary('a')).toMatchObject({ status: 'running', drivenBy: 'alice' });
    // A token alone is nobody's right: whose it is counts too.
    const stolen = store.append({ ...fresh, owner: 'eve' }, [event(1)], { durable: false });
    await expect(stolen).rejects.toMatchObject({ code: 'lease_lost' });
    await store.append(fresh, [event(1)], { durable: false });
    expect(await store.read('a')).toHaveLength(2);
    await store.close();
  });

  it('keeps no answer for a run that has ended: those that wait are refused with its end', async () => {
    for (const status of ['done', 'failed', 'cancelled'] as const) {
      const store = open();
      const lease = await store.create(start(status), alice);
      const [taken, waiting] = [await store.post(status, cancel), await store.post(status, cancel)];
      const settled = [{ id: taken, result: { accepted: true } as const }];
      await store.append(lease, [], { durable: false, status: 'suspended' });
      expect(await store.pending(status)).toHaveLength(2);
      await store.append(lease, [event(1)], { durable: false, status, settled });
      expect(await store.resultOf(taken)).toEqual({ accepted: true });
      expect(await store.resultOf(waiting)).toMatchObject({ accepted: false, code: 'ended' });
      await expect(store.post(status, cancel)).rejects.toMatchObject({ code: 'run_ended' });
      expect(await store.pending(status)).toEqual([]);
      // What was said once stays said.
      const again = [{ id: waiting, result: { accepted: true } as const }];
      await store.append(lease, [], { durable: false, settled: again });
      expect(await store.resultOf(waiting)).toMatchObject({ accepted: false, code: 'ended' });
      await store.close();
    }
  });

  it('lists the newest first, by status and by text of id or prompt', async () => {
    const store = open();
    for (const [id, prompt] of [
      ['a', 'Fix the build'],
      ['b', '修复构建'],
      ['c', 'fix %_ wildcard'],
    ] as const) {
      time += 1;
      await store.create(start(id, prompt), alice);
    }
    const ids = async (filter: object) => (await store.list(filter)).map(({ runId }) => runId);
    expect(await ids({})).toEqual(['c', 'b', 'a']);
    expect(await ids({ search: 'FIX' })).toEqual(['c', 'a']);
    expect(await ids({ search: '构建' })).toEqual(['b']);
    expect(await ids({ search: '%_' })).toEqual(['c']);
    expect(await ids({ status: 'done' })).toEqual([]);
    expect(await ids({ limit: 1 })).toEqual(['c']);
    await store.close();
  });
});
