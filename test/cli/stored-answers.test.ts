import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { cli } from '../../src/cli/program.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import { answer, callNote, scriptedAgent, untilAsked } from '../run/support.ts';
import { fakeIo } from './fake-io.ts';
import { agenthub, approval, asJson, asks, databaseOf, waiting, widthIn, zh } from './stored.ts';
import { temporaryFolder } from './temporary.ts';

describe('answering from elsewhere', () => {
  it('with no driver the answer waits, once; resume takes it', async () => {
    const { cwd, id } = await waiting();
    const first = await agenthub(cwd, await approval(cwd, id));
    expect(first).toMatchObject({ exitCode: 0, err: '' });
    expect(first.out).toBe(
      `Nobody drives run ${id}; the answer is stored and counts when it goes on: approval of 1.0 (overwriting an existing file)\nTo go on: agenthub resume ${id}\n`,
    );
    expect((await agenthub(cwd, await approval(cwd, id))).exitCode).toBe(0);
    const denied = await agenthub(cwd, ['deny', id, '1.0'], zh);
    expect(denied.exitCode).toBe(1);
    expect(denied.err).toMatch(
      /^1\.0 已经答复过，答复还在等进程来驱动这次运行：批准 1\.0（覆盖已有文件） · 终端 · \d{4}-.*\n接着运行：agenthub resume /u,
    );
    expect((await agenthub(cwd, ['deny', id, '1.0'])).err).toMatch(
      /^1\.0 was answered already, and the answer waits for somebody to drive the run: approval of 1\.0 \(overwriting an existing file\) · terminal · /u,
    );
    expect((await asJson(cwd, ['show', id])).json.waitingAnswers).toHaveLength(1);
    const resumed = await agenthub(cwd, ['resume', id]);
    expect(resumed.exitCode).toBe(0);
    expect(resumed.out).toContain('photo.png was scaled and saved as small.png.');
    expect(resumed.err).toContain(
      'allow  image_scaling · overwriting an existing file · by terminal',
    );
    expect(await widthIn(cwd)).toBe(32);
    const again = await agenthub(cwd, ['resume', id], zh);
    expect(again).toMatchObject({
      exitCode: 1,
      err: `agenthub: 运行 ${id} 已经结束（完成），不能接着运行。\n`,
    });
  });

  it('--resume goes on at once; the same command after an answer that waits does too', async () => {
    const { cwd, id } = await waiting();
    await agenthub(cwd, await approval(cwd, id));
    const { exitCode, json } = await asJson(cwd, [...(await approval(cwd, id)), '--resume']);
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({ runId: id, status: 'done', exitCode: 0 });
    expect(await widthIn(cwd)).toBe(32);
  });

  it('a denial tells the model why', async () => {
    const { cwd, id } = await waiting();
    const args = ['deny', id, '1.0', '--reason', 'keep the old one', '--resume'];
    const { exitCode, out } = await agenthub(cwd, args);
    expect(exitCode).toBe(0);
    expect(out).toContain('keep the old one');
    expect(await widthIn(cwd)).toBe(64);
    const { json } = await asJson(cwd, ['show', id]);
    expect(json.calls[0]).toMatchObject({
      stands: 'denied',
      reasons: [
        { code: 'person_denied', en: 'The call was not approved: keep the old one' },
        { code: 'overwrite_not_approved' },
      ],
    });
  });

  it('an approval is void when the file has changed since, and the run waits again', async () => {
    const { cwd, id } = await waiting();
    await agenthub(cwd, await approval(cwd, id));
    const picture = { width: 65, height: 40, channels: 3, background: '#fff' } as const;
    await sharp({ create: picture }).toFile(join(cwd, 'small.png'));
    const { exitCode, err } = await agenthub(cwd, ['resume', id]);
    expect([exitCode, await widthIn(cwd)]).toEqual([3, 65]);
    expect(err).toContain(
      'An earlier approval no longer holds: what it was given for has changed.',
    );
    expect(err).toContain(`  agenthub approve ${id} 1.0 --shown `);
    const why = await agenthub(cwd, ['why', id, '1.0']);
    expect(why.out).toContain(', void: what it was given for has changed');
    expect((await agenthub(cwd, [...(await approval(cwd, id)), '--resume'])).exitCode).toBe(0);
    expect(await widthIn(cwd)).toBe(32);
  });

  it('an approval holds as long as it says', async () => {
    const { cwd, id } = await waiting();
    const time = Date.now() - 60_000;
    await agenthub(cwd, [...(await approval(cwd, id)), '--expires', '10s'], { time });
    await agenthub(cwd, ['resume', id]);
    expect(await widthIn(cwd)).toBe(64);
    const { json } = await asJson(cwd, ['why', id, '1.0']);
    expect(json).toMatchObject({ stands: 'expired', decidedBy: 'engine: approval_expired' });
    expect((await agenthub(cwd, ['approve', id, '1.0', '--expires', 'soon'])).exitCode).toBe(2);
  });

  it('approves only what is named, and only what is missing', async () => {
    const { cwd, id } = await waiting();
    const { exitCode, json } = await asJson(cwd, [
      ...(await approval(cwd, id)),
      '--grant',
      'outside',
    ]);
    expect(exitCode).toBe(1);
    expect(json).toMatchObject({ result: { accepted: false, code: 'not_missing' } });
    const bad = await agenthub(cwd, [...(await approval(cwd, id)), '--grant', 'all']);
    expect([bad.exitCode, bad.err]).toEqual([
      2,
      'agenthub: --grant: "all" cannot be granted; use outside, service, overwrite, use, hook, repeat, separated by commas.\n',
    ]);
  });

  it('names the calls there are', async () => {
    const { cwd, id } = await waiting();
    const { exitCode, err } = await agenthub(cwd, ['approve', id, '7.0']);
    expect([exitCode, err]).toEqual([
      2,
      `agenthub: Run ${id} has no call 7.0. Its calls: 1.0 (image_scaling, waits for permission).\n`,
    ]);
  });

  it('a live driver takes the answer, and what became of it is told', async () => {
    const cwd = await temporaryFolder();
    const store = sqliteStore({ path: databaseOf(cwd) });
    const steps = [callNote('a'), answer('ok')];
    const { agent, started } = scriptedAgent(steps, { ...asks, store, owner: 'host:1' });
    const run = agent.start('task');
    await untilAsked(run);
    await run.saved();
    expect((await asJson(cwd, ['runs'])).json).toMatchObject([
      { status: 'waiting', drivenBy: 'host:1' },
    ]);
    const resumed = await agenthub(cwd, ['resume', 'run-1']);
    expect(resumed.exitCode).toBe(1);
    expect(resumed.err).toContain('Run run-1 is driven by host:1.');
    const { exitCode, out } = await agenthub(cwd, [...(await approval(cwd, 'run-1')), '--resume']);
    expect([exitCode, out]).toEqual([
      0,
      'host:1, which drives run run-1, took it: approval of 1.0 (use of this tool)\n',
    ]);
    expect(await run.outcome).toMatchObject({ status: 'done' });
    expect(started).toEqual(['a']);
    await store.close();
  });

  it('resume asks the driver of a suspended run to go on', async () => {
    const cwd = await temporaryFolder();
    const store = sqliteStore({ path: databaseOf(cwd) });
    const options = { store, owner: 'host:1', limits: { turns: 1 } };
    const { agent } = scriptedAgent([callNote('a'), answer('ok')], options);
    const run = agent.start('task');
    await run.outcome;
    const refused = await asJson(cwd, ['resume', 'run-1', '--turns', '1']);
    expect(refused).toMatchObject({ exitCode: 1, json: { result: { code: 'not_raised' } } });
    const { json } = await asJson(cwd, ['resume', 'run-1', '--turns', '2']);
    expect(json).toMatchObject({ drivenBy: 'host:1', result: { accepted: true }, exitCode: 0 });
    expect(await run.outcome).toMatchObject({ status: 'done' });
    await store.close();
  });
});

describe('an approval is of what was seen', () => {
  it('without a word for that it is refused where nobody can be asked, and nothing is stored', async () => {
    const { cwd, id } = await waiting();
    for (const flags of [[], ['--json'], ['--resume']]) {
      const { exitCode, err } = await agenthub(cwd, ['approve', id, '1.0', ...flags]);
      expect([exitCode, err]).toEqual([
        2,
        `agenthub: 1.0: approve what? An approval counts for a question that was seen. agenthub show ${id} shows it, with the command that approves it (--shown); or run this command at a terminal, and it shows the question first.\n`,
      ]);
    }
    const { err } = await agenthub(cwd, ['approve', id, '1.0'], zh);
    expect(err).toContain('批准只对看过的问题有效');
    expect((await asJson(cwd, ['show', id])).json.waitingAnswers).toEqual([]);
  });

  it.each([
    ['of another question', 'deadbeef'],
    ['that is none', 'no-digest'],
    ['too short to name one', '1234567'],
  ])('a digest %s approves nothing', async (_, digest) => {
    const { cwd, id } = await waiting();
    const { exitCode, err } = await agenthub(cwd, ['approve', id, '1.0', '--shown', digest]);
    expect([exitCode, err]).toEqual(
      digest === 'deadbeef'
        ? [1, expect.stringContaining('has changed since the question was shown')]
        : [2, expect.stringContaining(`--shown: "${digest}" names no question`)],
    );
    expect((await asJson(cwd, ['show', id])).json.waitingAnswers).toEqual([]);
  });

  it('what has changed since the command was printed is not approved by it', async () => {
    const { cwd, id } = await waiting();
    const printed = await approval(cwd, id);
    const picture = { width: 65, height: 40, channels: 3, background: '#fff' } as const;
    await sharp({ create: picture }).toFile(join(cwd, 'small.png'));
    await agenthub(cwd, printed);
    expect((await agenthub(cwd, ['resume', id])).exitCode).toBe(3);
    const again = await agenthub(cwd, printed);
    expect([again.exitCode, again.err]).toEqual([1, expect.stringContaining('has changed since')]);
    expect(await widthIn(cwd)).toBe(65);
  });

  it.each([
    ['y', 0, 'approval of 1.0 (overwriting an existing file)', 'permission.grant'],
    ['\u001b', 0, 'denial of 1.0', 'permission.deny'],
  ])('at a terminal the question is shown first: %j', async (key, code, words, type) => {
    const { cwd, id } = await waiting();
    const person = fakeIo({ cwd, tty: true, time: Date.now() });
    const done = cli(['approve', id, '1.0'], person.io);
    await person.said('y approve once');
    expect(person.err()).toContain('It would overwrite existing content');
    person.press(key);
    expect(await done).toBe(code);
    expect(person.out()).toContain(words);
    expect((await asJson(cwd, ['show', id])).json.waitingAnswers).toMatchObject([{ type }]);
  });
});

const NAMED = ['--config', 'agenthub.config.json'];

describe('agenthub resume', () => {
  it('a limit must be raised', async () => {
    const cwd = await temporaryFolder({ 'agenthub.config.json': { limits: { turns: 1 } } });
    const { json } = await asJson(cwd, ['run', 'how do I get an invoice?']);
    expect(json).toMatchObject({ status: 'suspended', reason: 'limit.turns', exitCode: 5 });
    const bare = await agenthub(cwd, ['resume', json.runId]);
    expect([bare.exitCode, bare.err]).toEqual([
      5,
      `Run ${json.runId} stopped at limit.turns; to go on, raise that limit: agenthub resume ${json.runId} --turns N\n`,
    ]);
    const low = await asJson(cwd, ['resume', json.runId, '--turns', '1']);
    expect(low).toMatchObject({ exitCode: 5, json: { result: { code: 'not_raised' } } });
    expect((await agenthub(cwd, ['resume', json.runId, '--turns', 'x'])).exitCode).toBe(2);
    const { exitCode, out } = await agenthub(cwd, ['resume', json.runId, '--turns', '9']);
    expect(exitCode).toBe(0);
    expect(out).toContain('Source: en/invoices.md');
    expect((await asJson(cwd, ['show', json.runId])).json.usage.requests).toBe(2);
  });

  it('asks at the terminal what the run asks', async () => {
    const { cwd, id } = await waiting();
    const person = fakeIo({ cwd, tty: true });
    const done = cli(['resume', id], person.io);
    await person.said('y approve once');
    person.press('y');
    expect([await done, await widthIn(cwd)]).toEqual([0, 32]);
  });

  it('without a person it waits again, or denies with --on-ask deny', async () => {
    const { cwd, id } = await waiting();
    const { exitCode, err } = await agenthub(cwd, ['resume', id]);
    expect(exitCode).toBe(3);
    expect(err).toContain(`agenthub approve ${id} 1.0`);
    const denied = await asJson(cwd, ['resume', id, '--on-ask', 'deny']);
    expect(denied.json).toMatchObject({ status: 'done', exitCode: 3 });
  });

  it('takes grants beforehand', async () => {
    const { cwd, id } = await waiting();
    expect((await agenthub(cwd, ['resume', id, '--grant', 'overwrite'])).exitCode).toBe(0);
    expect(await widthIn(cwd)).toBe(32);
  });

  it('an answer with --resume is kept where the run cannot go on here, and that is said', async () => {
    const { cwd, id } = await waiting();
    const file = { permissions: { policies: { echo: 'ask' } } };
    await writeFile(join(cwd, 'agenthub.config.json'), JSON.stringify(file));
    const { exitCode, err } = await agenthub(cwd, [
      ...(await approval(cwd, id)),
      '--resume',
      ...NAMED,
    ]);
    expect(exitCode).toBe(1);
    expect(err).toMatch(/ began under other .*\nThe answer is kept in the inbox of run /u);
    expect(err).toMatch(/: approval of 1\.0 \(overwriting an existing file\)\n$/u);
    expect((await asJson(cwd, ['show', id])).json.waitingAnswers).toHaveLength(1);
  });

  it('goes on under the rules it began with, or not at all', async () => {
    const { cwd, id } = await waiting();
    const file = { permissions: { policies: { image_scaling: 'allow' } } };
    await writeFile(join(cwd, 'agenthub.config.json'), JSON.stringify(file));
    const { exitCode, err } = await agenthub(cwd, ['resume', id, ...NAMED], zh);
    expect(exitCode).toBe(1);
    expect(err).toContain(
      `运行 ${id} 开始时的权限策略和现在配置的不同，不同的是这些工具的策略：image_scaling。没有写入`,
    );
    expect(await widthIn(cwd)).toBe(64);
  });
});
