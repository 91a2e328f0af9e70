import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { createAgent } from '../../src/run/create-agent.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import { approveAll, payingAgent } from './paying-agent.ts';

/**
 * Gives each test of a file a folder for its stores, and the paths in it. Whatever is done to them,
 * no rejection may be left unhandled.
 */
export function storeFolder(): (name?: string) => string {
  let folder = '';
  const unhandled: unknown[] = [];
  const keep = (thrown: unknown) => unhandled.push(thrown);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agenthub-store-'));
    process.on('unhandledRejection', keep);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
    process.off('unhandledRejection', keep);
    expect(unhandled.splice(0)).toEqual([]);
  });
  return (name = 'runs.db') => join(folder, name);
}

/** Drives runs to where they wait for a person, and lets go of them. */
export async function storeRuns(path: string, ids: readonly string[]): Promise<void> {
  const store = sqliteStore({ path });
  for (const runId of ids) {
    const run = createAgent(payingAgent(store).options).start('pay both', { runId });
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      await run.saved();
      await run.close();
    }
  }
  await store.close();
}

/** The run goes on from what was stored, as if nothing had been. */
export async function goesOn(path: string, runId = 'run'): Promise<void> {
  const store = sqliteStore({ path, now: () => Date.now() + 3_600_000 });
  const { options, effects } = payingAgent(store);
  const run = await createAgent(options).restore(runId);
  expect(await approveAll(run)).toMatchObject({ status: 'done', answer: 'paid' });
  expect(effects).toEqual([`a ${runId}/1.0/1`, `b ${runId}/1.1/1`]);
  await store.close();
}

/** A store, or what opening it throws. */
export const opening = (path: string) => {
  try {
    return sqliteStore({ path });
  } catch (thrown) {
    return thrown as { code: string; message: string };
  }
};
