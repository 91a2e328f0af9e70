import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agenthub, approval, asJson, waiting, widthIn, zh } from './stored.ts';
import { temporaryFolder } from './temporary.ts';

describe('agenthub cancel', () => {
  it('ends a run that nobody drives at once, and nothing starts first', async () => {
    const { cwd, id } = await waiting();
    const forked = (await asJson(cwd, ['fork', id, '--at', '0'])).json.runId;
    // No key, and none is needed: no model is asked.
    const env = { AGENTHUB_PROVIDER: 'glm', AGENTHUB_MODEL: 'm' };
    const { exitCode, json } = await asJson(cwd, ['cancel', forked], { env });
    expect(exitCode).toBe(0);
    expect(json).toEqual({
      ...{ runId: forked, drivenBy: null, exitCode: 0 },
      result: { accepted: true },
    });
    const [start, cancelled, ...more] = (await asJson(cwd, ['replay', forked])).json;
    expect([start.what, cancelled.what, cancelled.state, more]).toEqual([
      'start',
      'run.cancel',
      'cancelled',
      [],
    ]);
    const again = await agenthub(cwd, ['cancel', forked], zh);
    expect(again).toMatchObject({ exitCode: 1, err: '答复没有生效：运行已经结束。\n' });
  });

  it('a run that waits for permission ends, and runs lists it as cancelled', async () => {
    const { cwd, id } = await waiting();
    const { exitCode, out, err } = await agenthub(cwd, ['cancel', id]);
    expect([exitCode, out, err]).toEqual([0, `Run ${id} was cancelled.\n`, '']);
    expect((await agenthub(cwd, ['runs'])).out).toMatch(new RegExp(`^${id}  cancelled  `, 'u'));
    expect(await widthIn(cwd)).toBe(64);
  });

  it('an approval that waits starts nothing when a cancellation follows it', async () => {
    const { cwd, id } = await waiting();
    await agenthub(cwd, await approval(cwd, id));
    expect((await agenthub(cwd, ['cancel', id])).exitCode).toBe(0);
    expect(await widthIn(cwd)).toBe(64);
  });

  it('under other policies too: ending starts nothing', async () => {
    const { cwd, id } = await waiting();
    const file = { permissions: { policies: { echo: 'ask' } } };
    await writeFile(join(cwd, 'agenthub.config.json'), JSON.stringify(file));
    const { exitCode, out } = await agenthub(cwd, ['cancel', id]);
    expect([exitCode, out]).toEqual([0, `Run ${id} was cancelled.\n`]);
    expect((await agenthub(cwd, ['delete', id])).exitCode).toBe(0);
  });

  it('an imported run too, with calls that were decided about elsewhere', async () => {
    const { cwd, id } = await waiting();
    await agenthub(cwd, ['export', id, '--output', 'run.ndjson']);
    await agenthub(cwd, ['import', 'run.ndjson', '--as', 'copy']);
    expect((await agenthub(cwd, ['cancel', 'copy'])).out).toBe('Run copy was cancelled.\n');
  });

  it('ends a suspended run', async () => {
    const cwd = await temporaryFolder({ 'agenthub.config.json': { limits: { turns: 1 } } });
    const { json } = await asJson(cwd, ['run', 'how do I get an invoice?']);
    expect((await agenthub(cwd, ['cancel', json.runId])).exitCode).toBe(0);
    expect((await asJson(cwd, ['runs'])).json).toMatchObject([
      { status: 'cancelled', drivenBy: null },
    ]);
  });
});
