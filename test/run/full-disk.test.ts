import { expect, it } from 'vitest';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import { foldLog } from '../../src/run/fold.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import type { LogRecord, RunStore } from '../../src/run/store/store.types.ts';
import { approveAll, payingAgent } from './paying-agent.ts';
import { storeFolder } from './store-folder.ts';

const path = storeFolder();

/** A store with room for so many writes, of whatever kind; nothing of a later one is written. */
function withRoomFor(writes: number, inner: RunStore): RunStore {
  let left = writes;
  const ifRoom = <Value>(write: () => Promise<Value>): Promise<Value> => {
    left -= 1;
    return left >= 0
      ? write()
      : Promise.reject(new AgentHubError('store_full', 'The disk is full.'));
  };
  return {
    ...inner,
    create: (...given) => ifRoom(() => inner.create(...given)),
    append: (...given) => ifRoom(() => inner.append(...given)),
    acquire: (...given) => ifRoom(() => inner.acquire(...given)),
    renew: (...given) => ifRoom(() => inner.renew(...given)),
    release: (...given) => ifRoom(() => inner.release(...given)),
  };
}

/** The payments that a log says were about to start. */
const intendedIn = (log: readonly LogRecord[]) =>
  log.flatMap((record) =>
    record.kind === 'intent' ? [`run/${record.callId}/${record.attempt}`] : [],
  );

const grantsIn = (log: readonly LogRecord[]) =>
  log.filter((record) => record.kind === 'event' && record.event.type === 'permission.grant');

const keysOf = (effects: readonly string[]) => effects.map((effect) => effect.split(' ').at(-1));

/** A run on a disk with room for so many writes, and what was left of it there. */
async function runUntilFull(writes: number, effects: string[]) {
  const store = sqliteStore({ path: path(`${writes}.db`) });
  const { options } = payingAgent(withRoomFor(writes, store), { effects });
  const outcome = await approveAll(createAgent(options).start('pay both', { runId: 'run' }));
  const log = await store.read('run').catch(() => []);
  await store.close();
  return { outcome, log };
}

/** Another process goes on with it, once there is room. */
async function goOn(writes: number, effects: string[]) {
  const store = sqliteStore({ path: path(`${writes}.db`), now: () => Date.now() + 3_600_000 });
  const agent = createAgent(payingAgent(store, { effects }).options);
  const [found] = await store.list();
  const run = found ? await agent.restore('run') : agent.start('pay both', { runId: 'run' });
  const outcome = await approveAll(run);
  const log = await store.read('run');
  await store.close();
  return { outcome, log };
}

it('a disk that is full from any write of a run on: nothing starts unrecorded, and it goes on later', async () => {
  let writes = 0;
  for (; ; writes += 1) {
    const effects: string[] = [];
    const full = await runUntilFull(writes, effects);
    expect(intendedIn(full.log)).toEqual(expect.arrayContaining(keysOf(effects)));
    if (full.outcome.status === 'done') break;
    expect(full.outcome).toMatchObject({ status: 'failed', error: { code: 'store_full' } });

    const { outcome, log } = await goOn(writes, effects);
    expect(outcome).toMatchObject({ status: 'done', answer: 'paid' });
    expect(foldLog(log).value).toBe('done');
    expect(log.slice(0, full.log.length)).toEqual(full.log);
    // Each payment was made under a key of its own, on one approval each.
    expect(new Set(keysOf(effects)).size).toBe(effects.length);
    expect(effects.length).toBeLessThanOrEqual(grantsIn(log).length);
    expect(effects.length).toBeGreaterThanOrEqual(2);
  }
  expect(writes).toBeGreaterThanOrEqual(10);
});
