import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../machines/agent/agent.types.ts';
import { findRun } from '../../src/cli/find-run.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { RunFilter, RunStore } from '../../src/run/store/store.types.ts';
import { fakeIo } from './fake-io.ts';

/** A store with these runs, by id and task, that says how much of it was listed. */
async function storeOf(runs: readonly (readonly [string, string])[]) {
  const store = memoryStore();
  for (const [runId, prompt] of runs) {
    const input = { runId, startedAt: 0, locale: 'en', prompt, history: [], hooks: [] } as const;
    const rules = { policies: {}, limits: DEFAULT_LIMITS };
    const start = { seq: 0, at: 0, kind: 'start', machineVersion: '1' } as const;
    const lease = await store.create(
      { ...start, input: { ...input, ...rules } },
      { owner: 'test', ttl: 1_000 },
    );
    await store.release(lease);
  }
  const limits: (number | undefined)[] = [];
  const list = (filter?: RunFilter) => {
    limits.push(filter?.limit);
    return store.list(filter);
  };
  const find = (text: string) =>
    findRun(text, { store: { ...store, list } as RunStore, locale: 'en' }, fakeIo().io);
  return { find, limits };
}

const numbered = (count: number, prompt: string) =>
  Array.from({ length: count }, (_, index) => [`other-${index}`, prompt] as const);

describe('the run that is meant', () => {
  it('an id that is given whole is looked up, whatever begins with it; nothing is listed', async () => {
    const { find, limits } = await storeOf([
      ['run', 'one'],
      ['run-2', 'two'],
    ]);
    expect(await find('run')).toMatchObject({ runId: 'run' });
    expect(limits).toEqual([]);
  });

  it('the beginning of one lists few runs', async () => {
    const { find, limits } = await storeOf([['abc', 'task'], ...numbered(300, 'task')]);
    expect(await find('ab')).toMatchObject({ runId: 'abc' });
    expect(limits).toEqual([100]);
  });

  it('is found behind any number of tasks that hold the same text', async () => {
    const { find } = await storeOf([['abc', 'task'], ...numbered(1_200, 'about abc')]);
    expect(await find('ab')).toMatchObject({ runId: 'abc' });
  });

  it('no text is no beginning', async () => {
    const { find } = await storeOf([['abc', 'task']]);
    await expect(find('')).rejects.toMatchObject({ code: 'not_found' });
  });
});
