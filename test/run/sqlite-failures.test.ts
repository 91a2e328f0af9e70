import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from '../../src/run/create-agent.ts';
import { foldLog } from '../../src/run/fold.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import type { LogRecord } from '../../src/run/store/store.types.ts';
import { approveAll, payingAgent } from './paying-agent.ts';

let folder = '';
const unhandled: unknown[] = [];
const keep = (thrown: unknown) => unhandled.push(thrown);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthub-failures-'));
  unhandled.length = 0;
  process.on('unhandledRejection', keep);
});
afterEach(() => {
  process.off('unhandledRejection', keep);
  rmSync(folder, { recursive: true, force: true });
});

const path = (name: string) => join(folder, `${name}.db`);

/** Makes SQLite itself refuse, by a trigger that another connection put there. */
function refuse(name: string, when: string): void {
  const database = new Database(path(name));
  database.exec(`CREATE TRIGGER refuse ${when} BEGIN SELECT RAISE(ABORT, 'disk on fire'); END`);
  database.close();
}

async function calmLog(): Promise<readonly LogRecord[]> {
  const store = sqliteStore({ path: path('calm') });
  const run = createAgent(payingAgent(store).options).start('pay', { runId: 'run' });
  expect((await approveAll(run)).status).toBe('done');
  const log = await store.read('run');
  await store.close();
  return log;
}

describe('a write that SQLite refuses', () => {
  it('at any record: nothing starts afterwards, the run fails, the log stays whole', async () => {
    const calm = await calmLog();
    expect(calm.length).toBeGreaterThan(10);
    for (const { seq } of calm) {
      const name = `record-${seq}`;
      const store = sqliteStore({ path: path(name) });
      refuse(name, `BEFORE INSERT ON log WHEN NEW.seq = ${seq}`);
      const { options, effects } = payingAgent(store);
      const ended = await approveAll(createAgent(options).start('pay', { runId: 'run' }));
      expect({ seq, ended }).toMatchObject({
        seq,
        ended: { status: 'failed', error: { code: 'store_failed' } },
      });
      expect(ended.status === 'failed' && ended.error.message).toContain('disk on fire');

      // What is stored is a whole beginning of the log, and every effect has its intent in it.
      const log = seq === 0 ? [] : await store.read('run');
      expect(log.length).toBeLessThanOrEqual(seq);
      if (log.length > 0) expect(foldLog(log).context.rest).toBeNull();
      const intents = log.flatMap((record) => (record.kind === 'intent' ? [record.callId] : []));
      const keys = { '1.0': 'a run/1.0/1', '1.1': 'b run/1.1/1' };
      for (const effect of effects)
        expect(intents.map((id) => keys[id as keyof typeof keys])).toContain(effect);
      await store.close();
    }
    expect(unhandled).toEqual([]);
  });

  it('of a status or a lease: the same, and what was stored can go on', async () => {
    for (const [name, when] of [
      ['status', "BEFORE UPDATE ON runs WHEN NEW.status = 'waiting'"],
      ['lease', 'BEFORE UPDATE ON runs WHEN NEW.lease_owner IS NULL'],
    ] as const) {
      const store = sqliteStore({ path: path(name) });
      refuse(name, when);
      const { options, effects } = payingAgent(store);
      const ended = await approveAll(createAgent(options).start('pay', { runId: 'run' }));
      // A lease that cannot be given back lapses; all is stored by then.
      expect({ name, status: ended.status, effects: effects.length }).toEqual({
        name,
        ...(name === 'status' ? { status: 'failed', effects: 0 } : { status: 'done', effects: 2 }),
      });
      await store.close();
    }
    expect(unhandled).toEqual([]);
  });

  it('while somebody else keeps the database: said as busy, and nothing is lost', async () => {
    const store = sqliteStore({ path: path('busy'), busyTimeout: 1 });
    const { options, effects } = payingAgent(store);
    const other = new Database(path('busy'));
    const run = createAgent(options).start('pay', { runId: 'run' });
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      await run.saved();
      other.exec('BEGIN IMMEDIATE');
      for (const question of event.questions) run.approve(question);
    }
    expect(await run.outcome).toMatchObject({ status: 'failed', error: { code: 'store_busy' } });
    expect(effects).toEqual([]);
    other.exec('ROLLBACK');
    other.close();
    expect(foldLog(await store.read('run')).value).toEqual({ awaitPermission: 'asking' });
    await store.close();
    expect(unhandled).toEqual([]);
  });
});
