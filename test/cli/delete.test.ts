import { describe, expect, it } from 'vitest';
import { answer, asks, callNote } from '../run/support.ts';
import { agenthub, asJson, storeRun, zh } from './stored.ts';
import { temporaryFolder } from './temporary.ts';

/** Two runs that ended and one that waits. */
async function threeRuns() {
  const cwd = await temporaryFolder();
  for (const id of ['first', 'second']) await storeRun(cwd, [answer('ok')], { id });
  await storeRun(cwd, [callNote('a')], { id: 'open', options: asks });
  const left = async () =>
    ((await asJson(cwd, ['runs'])).json as { runId: string }[]).map(({ runId }) => runId);
  return { cwd, left };
}

describe('agenthub delete', () => {
  it('takes the runs that are named out of the store, each once', async () => {
    const { cwd, left } = await threeRuns();
    const { json, exitCode } = await asJson(cwd, ['delete', 'first', 'fir']);
    expect([exitCode, json]).toEqual([0, { deleted: ['first'] }]);
    expect(await left()).toEqual(['open', 'second']);
    expect((await agenthub(cwd, ['delete', 'second'])).out).toBe('Runs deleted: 1\n');
    expect(await left()).toEqual(['open']);
  });

  it('deletes none where one is unknown or has not ended, and says what to do', async () => {
    const { cwd, left } = await threeRuns();
    const open = await agenthub(cwd, ['delete', 'first', 'open'], zh);
    expect(open.exitCode).toBe(1);
    expect(open.err).toContain(
      '运行 open 还没有结束（waiting）。没有删除；请先取消：agenthub cancel open',
    );
    expect((await agenthub(cwd, ['delete', 'first', 'nobody'])).exitCode).toBe(2);
    expect(await left()).toEqual(['open', 'second', 'first']);
  });

  it('takes out what has not ended too, with --force', async () => {
    const { cwd, left } = await threeRuns();
    expect((await asJson(cwd, ['delete', 'open', '--force'])).json).toEqual({ deleted: ['open'] });
    expect(await left()).toEqual(['second', 'first']);
  });

  it('takes out what ended so long ago, and nothing that may go on', async () => {
    const { cwd, left } = await threeRuns();
    const day = 86_400_000;
    const at = (days: number) => ({ time: Date.now() + days * day });
    expect((await asJson(cwd, ['delete', '--older', '30d'], at(29))).json.deleted).toEqual([]);
    const { json } = await asJson(cwd, ['delete', '--older', '30d'], at(31));
    expect(json.deleted).toEqual(['second', 'first']);
    expect(await left()).toEqual(['open']);
  });

  it('needs to know which', async () => {
    const { cwd } = await threeRuns();
    for (const args of [
      ['delete'],
      ['delete', 'first', '--older', '1d'],
      ['delete', '--older', 'x'],
    ])
      expect((await agenthub(cwd, args)).exitCode).toBe(2);
  });
});
