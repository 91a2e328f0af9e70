import { describe, expect, it } from 'vitest';
import { toRunRow } from '../../src/inspector/server/run-state.ts';
import { RUN_STATUSES, shownStatus } from '../../src/run/run-status.ts';

const run = { runId: 'a', createdAt: 0, updatedAt: 0, prompt: 'p', records: 1 };

describe('a run’s status for people', () => {
  it('is interrupted where it says running and nobody drives it', () => {
    const shown = RUN_STATUSES.map((status) => shownStatus({ status, drivenBy: null }));
    expect(shown).toEqual(['interrupted', 'waiting', 'suspended', 'done', 'failed', 'cancelled']);
  });

  it('is its own where somebody does', () => {
    const shown = RUN_STATUSES.map((status) => shownStatus({ status, drivenBy: 'host:1' }));
    expect(shown).toEqual(RUN_STATUSES);
  });

  it('is the page’s word, too', () => {
    const row = toRunRow({ ...run, status: 'running', drivenBy: null });
    expect(row).toMatchObject({ status: 'running', shownStatus: 'interrupted' });
  });
});
