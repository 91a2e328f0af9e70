import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRuns } from '../../src/run/runs.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import { answer, callNote } from '../run/support.ts';
import {
  agenthub,
  approval,
  asJson,
  databaseOf,
  storeRun,
  waiting,
  widthIn,
  zh,
} from './stored.ts';
import { temporaryFolder } from './temporary.ts';

describe('agenthub replay', () => {
  it('one line per record, up to where it is told; changes nothing', async () => {
    const cwd = await temporaryFolder();
    await storeRun(cwd, [callNote('a'), answer('ok')], { id: 'run-1' });
    const before = await agenthub(cwd, ['export', 'run-1']);
    const { out } = await agenthub(cwd, ['replay', 'run-1', '--to', '3']);
    expect(out.replaceAll(/ +\+\d+ms /gu, ' +N ').split('\n')).toEqual([
      '    0 +N  start → callModel.working',
      '    1 +N  done: callModel → parseReply',
      '    2 +N  done: parseReply → awaitPermission.inspecting',
      '    3 +N  done: inspectFacts → execute',
      '',
    ]);
    const { json } = await asJson(cwd, ['replay', 'run-1', '--to', '1']);
    expect(json).toMatchObject([
      { seq: 0 },
      { seq: 1, state: 'parseReply', data: { type: 'xstate.done.actor.callModel' } },
    ]);
    const wrong = await agenthub(cwd, ['replay', 'run-1', '--to', '99']);
    expect(wrong).toMatchObject({ exitCode: 2, out: '' });
    expect(wrong.err).toContain('the log has records 0 to ');
    expect((await agenthub(cwd, ['export', 'run-1'])).out).toBe(before.out);
  });
});

describe('agenthub fork', () => {
  it('makes a new run from the first records, which goes on by itself', async () => {
    const { cwd, id } = await waiting();
    const { out } = await agenthub(cwd, ['fork', id, '--at', '3']);
    const [, forked = ''] = /^new run (\w+), from the first 4 records of /u.exec(out) ?? [];
    expect(out).toContain(`To go on: agenthub resume ${forked}`);
    expect((await agenthub(cwd, [...(await approval(cwd, forked)), '--resume'])).exitCode).toBe(0);
    const { json } = await asJson(cwd, ['runs']);
    expect(json.map(({ runId, status }: Record<string, string>) => [runId, status])).toEqual(
      expect.arrayContaining([
        [forked, 'done'],
        [id, 'waiting'],
      ]),
    );
  });

  it('--policies current: under what is configured now, from where that leads the same way', async () => {
    const { cwd, id } = await waiting();
    const file = { permissions: { policies: { image_scaling: 'allow' } } };
    await writeFile(join(cwd, 'agenthub.config.json'), JSON.stringify(file));
    const named = ['--config', 'agenthub.config.json'];
    const current = ['--policies', 'current', ...named];
    const diverges = await agenthub(cwd, ['fork', id, '--at', '3', ...current], zh);
    expect([diverges.exitCode, diverges.err]).toEqual([
      1,
      'agenthub: 在另外的策略下，第 3 条记录会走向别处。请在它之前分叉。\n',
    ]);
    const { json } = await asJson(cwd, ['fork', id, '--at', '2', ...current]);
    expect(json.forkedFrom).toEqual({ runId: id, seq: 2 });
    expect((await agenthub(cwd, ['resume', json.runId, ...named])).exitCode).toBe(0);
    expect(await widthIn(cwd)).toBe(32);
    expect((await agenthub(cwd, ['fork', id, '--at', '2', '--policies', 'x'])).exitCode).toBe(2);
    expect((await agenthub(cwd, ['fork', id])).exitCode).toBe(2);
  });
});

describe('agenthub policy-check', () => {
  it('exits with 1 where a decision would come out otherwise, and says which', async () => {
    const { cwd, id } = await waiting();
    await writeFile(join(cwd, 'strict.json'), JSON.stringify({ image_scaling: 'deny' }));
    const { exitCode, out } = await agenthub(cwd, ['policy-check', 'strict.json'], zh);
    expect([exitCode, out]).toEqual([
      1,
      `1 个运行、1 个决定，其中 1 个会不同。\n${id} 1.0 image_scaling #3: ask → deny\n  + 策略禁止使用这个工具\n`,
    ]);
    const { json } = await asJson(cwd, ['policy-check', 'strict.json']);
    expect(json).toMatchObject({ runs: 1, decisions: 1, exitCode: 1, unreadable: [] });
    expect(json.flips).toMatchObject([{ runId: id, after: { action: 'deny' } }]);
  });

  it('exits with 0 where none would; takes a configuration; knows what is neither', async () => {
    const { cwd } = await waiting();
    const files = { same: {}, config: { permissions: { policies: { image_scaling: 'allow' } } } };
    for (const [name, file] of Object.entries(files))
      await writeFile(join(cwd, `${name}.json`), JSON.stringify(file));
    await writeFile(join(cwd, 'bad.json'), JSON.stringify({ image_scaling: 'perhaps' }));
    expect(await agenthub(cwd, ['policy-check', 'same.json'])).toEqual({
      exitCode: 0,
      out: 'Runs: 1, decisions: 1. None would come out otherwise.\n',
      err: '',
    });
    const { out } = await agenthub(cwd, ['policy-check', 'config.json']);
    expect(out).toContain('image_scaling #3: ask → allow\n  - It would overwrite existing content');
    expect(await agenthub(cwd, ['policy-check', 'bad.json'])).toEqual({
      exitCode: 2,
      out: '',
      err: `agenthub: ${cwd}/bad.json: image_scaling: "perhaps" is not allowed; allowed: "allow" | "ask" | "deny" | { rules }\n`,
    });
    expect((await agenthub(cwd, ['policy-check', 'bad.json'], zh)).err).toBe(
      `agenthub: ${cwd}/bad.json: image_scaling: 不能是 "perhaps"；允许："allow" | "ask" | "deny" | { rules }\n`,
    );
    await writeFile(join(cwd, 'bad.json'), '{"locale":"fr","permissions":{}}');
    expect((await agenthub(cwd, ['policy-check', 'bad.json'])).err).toBe(
      `agenthub: ${cwd}/bad.json: locale: "fr" is not allowed; allowed: "zh" | "en"\n`,
    );
  });

  it('a run that cannot be read is named, and is no yes', async () => {
    const cwd = await temporaryFolder({ 'same.json': {} });
    await storeRun(cwd, [answer('ok')], { id: 'whole' });
    await storeRun(cwd, [answer('ok')], { id: 'broken' });
    const { default: Database } = await import('libsql');
    const database = new Database(databaseOf(cwd));
    database
      .prepare(
        "DELETE FROM log WHERE run = (SELECT rowid FROM runs WHERE run_id = 'broken') AND seq = 1",
      )
      .run();
    database.close();
    const { exitCode, err } = await agenthub(cwd, ['policy-check', 'same.json']);
    expect([exitCode, err]).toEqual([1, 'Not checked, because they cannot be read: broken\n']);
    const shown = await agenthub(cwd, ['show', 'broken'], zh);
    expect(shown).toMatchObject({ exitCode: 1, out: '' });
    expect(shown.err).toContain('运行 broken 的记录读不了。其他运行不受影响。');
    expect((await agenthub(cwd, ['show', 'whole'])).exitCode).toBe(0);
  });
});

describe('agenthub export and import', () => {
  it('to stdout or a file, and back, equal to the byte', async () => {
    const { cwd, id } = await waiting();
    const { out } = await agenthub(cwd, ['export', id]);
    const store = sqliteStore({ path: databaseOf(cwd) });
    expect(out).toBe(await openRuns(store).export(id));
    await store.close();
    const { json } = await asJson(cwd, ['export', id, '--output', 'run.ndjson']);
    expect(json).toEqual({ runId: id, file: join(cwd, 'run.ndjson') });
    expect(await readFile(join(cwd, 'run.ndjson'), 'utf8')).toBe(out);

    const elsewhere = await temporaryFolder({ 'run.ndjson': out });
    const imported = await agenthub(elsewhere, ['import', 'run.ndjson']);
    expect(imported).toMatchObject({ exitCode: 0, out: `imported as run ${id}\n` });
    expect((await agenthub(elsewhere, ['export', id])).out).toBe(out);
    const twice = await agenthub(elsewhere, ['import', 'run.ndjson'], zh);
    expect(twice.exitCode).toBe(1);
    expect(twice.err).toContain('没有写入。用 --as <编号>');
    const copied = await asJson(elsewhere, ['import', 'run.ndjson', '--as', 'copy']);
    expect(copied.json).toEqual({ runId: 'copy' });
  });

  it('what a terminal would obey is escaped on the way, and is back after it', async () => {
    const cwd = await temporaryFolder();
    await storeRun(cwd, [answer('ok')], { id: 'run-1', prompt: 'a\u202eb' });
    const { out } = await agenthub(cwd, ['export', 'run-1']);
    expect(out).toContain('"a\\u202eb"');
    await writeFile(join(cwd, 'run.ndjson'), out);
    await agenthub(cwd, ['import', 'run.ndjson', '--as', 'copy']);
    expect((await asJson(cwd, ['show', 'copy'])).json.prompt).toBe('a\u202eb');
  });

  it('leaves never half a file, and never half a run', async () => {
    const { cwd, id } = await waiting();
    await mkdir(join(cwd, 'taken'));
    const { exitCode, err } = await agenthub(cwd, ['export', id, '--output', 'taken']);
    expect(exitCode).toBe(1);
    expect(err).toContain('no half file was left');
    expect((await readdir(cwd)).sort()).toEqual(['.agenthub', 'photo.png', 'small.png', 'taken']);
    const { out } = await agenthub(cwd, ['export', id]);
    await writeFile(join(cwd, 'cut.ndjson'), out.split('\n').slice(0, -2).join('\n'));
    const cut = await agenthub(cwd, ['import', 'cut.ndjson', '--as', 'cut'], zh);
    expect(cut.exitCode).toBe(1);
    expect(cut.err).toContain(
      '这不是导出的运行：it should have 4 records and has 3: it is cut off。',
    );
    expect((await asJson(cwd, ['runs'])).json).toHaveLength(1);
  });
});

describe('agenthub verify', () => {
  it('is there, and knows what it takes', async () => {
    const cwd = await temporaryFolder();
    const { exitCode, err } = await agenthub(cwd, ['verify', '--calls', '3']);
    expect([exitCode, err]).toEqual([2, 'agenthub: --calls: "3" is not known; allowed: 1, 2.\n']);
  });
});
