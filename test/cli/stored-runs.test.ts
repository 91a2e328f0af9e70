import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../../src/cli/program.ts';
import { chunk, stream, testEndpoint } from '../model/endpoint.ts';
import { answer } from '../run/support.ts';
import { fakeIo } from './fake-io.ts';
import {
  agenthub,
  approval,
  asJson,
  databaseOf,
  storeRun,
  TASK,
  waiting,
  widthIn,
  zh,
} from './stored.ts';
import { pictureFolder, temporaryFolder } from './temporary.ts';

describe('runs are kept', () => {
  it('by default, in the working folder; the id is told in one line', async () => {
    const cwd = await temporaryFolder();
    const { err, exitCode } = await agenthub(cwd, ['run', 'how do I get an invoice?']);
    const id = /^stored as run ([0-9a-f]{10})$/mu.exec(err)?.[1] ?? '';
    expect([exitCode, id]).toEqual([0, expect.stringMatching(/^.{10}$/u)]);
    const { json } = await asJson(cwd, ['runs']);
    expect(json).toMatchObject([{ runId: id, status: 'done', drivenBy: null }]);
  });

  it('where --store says; with --no-store nowhere, and no folder is made', async () => {
    const cwd = await temporaryFolder();
    const { json } = await asJson(cwd, ['run', 'invoice?', '--store', 'kept/here.db']);
    expect(await readdir(cwd)).toEqual(['kept']);
    expect((await asJson(cwd, ['runs', '--store', 'kept/here.db'])).json[0].runId).toBe(json.runId);
    const { err } = await agenthub(cwd, ['run', 'invoice?', '--no-store']);
    expect(err).not.toContain('stored as');
    expect(await readdir(cwd)).toEqual(['kept']);
  });

  it('each task of a chat is a run', async () => {
    const cwd = await temporaryFolder();
    const person = fakeIo({ cwd });
    const done = cli(['chat'], person.io);
    person.stdin.end('how do I get an invoice?\nwho pays the postage?\n');
    expect(await done).toBe(0);
    const { json } = await asJson(cwd, ['runs']);
    expect(json.map(({ prompt }: { prompt: string }) => prompt)).toEqual([
      'who pays the postage?',
      'how do I get an invoice?',
    ]);
    expect(person.err().match(/^stored as run /gmu)).toHaveLength(2);
  });

  it.each([
    ['en', {}, /notes\.txt: The file is not a database\. It was not changed; name another file\./u],
    ['zh', zh, /notes\.txt：这不是 AgentHub 的数据库。文件没有改动；请指定另一个文件。/u],
  ])('a store that cannot be opened says so in %s, before anything ran', async (_, io, words) => {
    const cwd = await temporaryFolder({ 'notes.txt': 'not a database, and longer than nothing' });
    const args = ['run', 'invoice?', '--store', 'notes.txt'];
    const { exitCode, out, err } = await agenthub(cwd, args, io);
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toMatch(words);
    expect(err).not.toContain('knowledge_search');
    expect(await readFile(join(cwd, 'notes.txt'), 'utf8')).toMatch(/^not a database/u);
  });

  it('a folder that cannot be made is a failure, not a wait', async () => {
    const cwd = await temporaryFolder({ file: 'x' });
    const { exitCode, err } = await agenthub(cwd, ['run', 'x', '--store', 'file/runs.db'], zh);
    expect(exitCode).toBe(1);
    expect(err).toContain('数据库无法打开');
  });

  it('configuration that is wrong is told before a database is made', async () => {
    const cwd = await temporaryFolder();
    expect((await agenthub(cwd, ['run', 'x', '--provider', 'glm', '--model', 'm'])).exitCode).toBe(
      4,
    );
    expect(await readdir(cwd)).toEqual([]);
  });
});

describe('run --on-ask wait', () => {
  it('leaves the run waiting, prints the commands that answer it, and exits with 3', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const args = ['run', TASK, '--on-ask', 'wait', '--knowledge', "it's here"];
    await mkdir(join(cwd, "it's here"));
    const { exitCode, out, err } = await agenthub(cwd, args);
    expect([exitCode, out]).toEqual([3, '']);
    const [run] = (await asJson(cwd, ['runs'])).json;
    expect(run).toMatchObject({ status: 'waiting', drivenBy: null });
    expect(err).toContain('Permission needed: image_scaling');
    expect(err).toContain('  - It would overwrite existing content and that has not been approved');
    expect(err).not.toContain('deny   image_scaling');
    const again = `--knowledge 'it'\\''s here'`;
    expect(err).toMatch(
      new RegExp(
        `\\n  agenthub approve ${run.runId} 1\\.0 --shown [0-9a-f]{12} (.*)\\n  agenthub deny`,
        'u',
      ),
    );
    expect(err).toContain(`  agenthub deny ${run.runId} 1.0 ${again}\n`);
    expect(await widthIn(cwd)).toBe(64);
  });

  it('for programs: one object, or a last line', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const { exitCode, err, json } = await asJson(cwd, ['run', TASK, '--on-ask', 'wait']);
    expect([exitCode, err]).toEqual([3, '']);
    expect(json).toMatchObject({
      status: 'waiting',
      exitCode: 3,
      questions: [{ callId: '1.0', tool: 'image_scaling', missing: ['overwrite'] }],
      commands: [{ callId: '1.0', approve: expect.stringContaining(`approve ${json.runId} 1.0`) }],
    });
    expect(json.trace.at(-1)).toMatchObject({ kind: 'person', answer: 'open' });
    const streamed = await agenthub(cwd, ['run', TASK, '--on-ask', 'wait', '--json-stream']);
    const last = JSON.parse(streamed.out.trimEnd().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ type: 'waiting', exitCode: 3, questions: [{ callId: '1.0' }] });
  });

  it('says nothing of waiting where nothing is asked', async () => {
    const cwd = await pictureFolder('photo.png');
    const { exitCode } = await agenthub(cwd, ['run', TASK, '--on-ask', 'wait']);
    expect([exitCode, await widthIn(cwd)]).toEqual([0, 32]);
  });
});

describe('agenthub runs', () => {
  it('lists id, status, age and task, newest first; running without a driver is interrupted', async () => {
    const { cwd, id } = await waiting();
    await agenthub(cwd, ['run', 'how do I get\nan invoice?']);
    const forked = (await asJson(cwd, ['fork', id, '--at', '2'])).json.runId;
    const { out, exitCode } = await agenthub(cwd, ['runs']);
    expect(exitCode).toBe(0);
    expect(out.replaceAll(/\d+s /gu, 'AGE ').split('\n')).toEqual([
      expect.stringMatching(/^\w{10} {2}done {9}AGE {2}how do I get an invoice\?$/u),
      `${forked}  interrupted  AGE  ${TASK}`,
      `${id}  waiting      AGE  ${TASK}`,
      '',
    ]);
    const statuses = async (...args: string[]) =>
      (await asJson(cwd, ['runs', ...args])).json.map(
        ({ runId, status }: Record<string, string>) => `${status} ${runId === forked}`,
      );
    expect(await statuses('--status', 'interrupted')).toEqual(['interrupted true']);
    expect(await statuses('--status', 'running')).toEqual([]);
    expect(await statuses('--status', 'waiting')).toEqual(['waiting false']);
    expect(await statuses('--search', 'INVOICE')).toEqual(['done false']);
    expect(await statuses('--limit', '2')).toHaveLength(2);
    expect((await agenthub(cwd, ['runs', '--status', 'waiting'], zh)).out).toContain(
      '  等待批准  ',
    );
  });

  it('an empty store and one that is not there are no errors', async () => {
    const cwd = await temporaryFolder();
    expect(await agenthub(cwd, ['runs'])).toEqual({
      exitCode: 0,
      out: '',
      err: `There are no stored runs yet: ${databaseOf(cwd)} is not there.\n`,
    });
    expect((await asJson(cwd, ['runs'])).json).toEqual([]);
    expect(await readdir(cwd)).toEqual([]);
    await agenthub(cwd, ['run', 'invoice?']);
    expect((await agenthub(cwd, ['runs', '--search', 'nope'], zh)).err).toBe('没有这样的运行。\n');
  });

  it('shows nothing that a terminal would obey', async () => {
    const cwd = await temporaryFolder();
    await storeRun(cwd, [answer('\u001b[2Jgone')], {
      id: 'run-1',
      prompt: 'a\u001b]0;x\u0007\n\u202eb',
    });
    const listed = await agenthub(cwd, ['runs']);
    expect(listed.out).toContain('a\\u{1b}]0;x\\u{7} \\u{202e}b');
    const shown = await agenthub(cwd, ['show', 'run-1']);
    expect(shown.out).toContain('answer \\u{1b}[2Jgone');
    for (const command of [
      ['show', 'run-1'],
      ['replay', 'run-1'],
      ['export', 'run-1'],
    ])
      expect((await agenthub(cwd, command)).out).not.toMatch(/[\u001b\u0007\u202e]/u);
  });
});

describe('naming a run', () => {
  it('by a unique beginning; otherwise what there is is named', async () => {
    const cwd = await temporaryFolder();
    for (const id of ['abc1', 'abc2', 'x']) await storeRun(cwd, [answer('ok')], { id });
    expect((await asJson(cwd, ['show', 'abc2'])).json.runId).toBe('abc2');
    expect((await asJson(cwd, ['show', 'x'])).json.runId).toBe('x');
    const ambiguous = await agenthub(cwd, ['show', 'abc']);
    expect([ambiguous.exitCode, ambiguous.out]).toEqual([2, '']);
    expect(ambiguous.err).toMatch(
      /^agenthub: 2 runs have an id that begins with abc; .*:\nabc2 .*\nabc1 /u,
    );
    const unknown = await agenthub(cwd, ['why', 'nope', '1.0'], zh);
    expect(unknown.exitCode).toBe(2);
    expect(unknown.err).toMatch(/没有运行 nope。最近的运行：\nx +完成.*\nabc2 .*\nabc1 /u);
    expect((await agenthub(cwd, ['show', ''])).err).toContain('There is no run ');
  });

  it('exactly, even where it is the beginning of another', async () => {
    const cwd = await temporaryFolder();
    for (const id of ['abc', 'abcd']) await storeRun(cwd, [answer('ok')], { id });
    expect((await asJson(cwd, ['show', 'abc'])).json.runId).toBe('abc');
  });

  it('needs a store, and one that is there', async () => {
    const cwd = await temporaryFolder({ 'agenthub.config.json': { store: false } });
    expect(await agenthub(cwd, ['show', 'x'])).toMatchObject({ exitCode: 2 });
    const other = await temporaryFolder();
    const { exitCode, err } = await agenthub(other, ['show', 'x']);
    expect([exitCode, existsSync(databaseOf(other))]).toEqual([2, false]);
    expect(err).toContain('There are no stored runs yet');
  });
});

describe('agenthub show', () => {
  it('tells state, usage, timeline with times, decisions with all reasons, and how to answer', async () => {
    const { cwd, id } = await waiting();
    const { out } = await agenthub(cwd, ['show', id.slice(0, 6)]);
    expect(out).toMatch(
      new RegExp(
        `^${id}\ntask   ${TASK}\nstatus waiting · awaitPermission\\.asking · nobody drives it\n`,
        'u',
      ),
    );
    expect(out).toMatch(/^usage {2}1 request · \? tok$/mu);
    expect(out).toMatch(
      /^\d\d:\d\d:\d\d {5}3 +\+\d+ms {2}done: inspectFacts → awaitPermission\.asking$/mu,
    );
    expect(out).toContain(
      [
        'Calls and decisions',
        '  1.0 image_scaling {"input":"photo.png","output":"small.png","width":32}',
        '    #3 ask',
        '      - It would overwrite existing content and that has not been approved',
        '    waits for permission',
      ].join('\n'),
    );
    expect(out).toContain(
      `  agenthub ${(await approval(cwd, id)).join(' ')}\n  agenthub deny ${id} 1.0\n`,
    );
    const chinese = (await agenthub(cwd, ['show', id], zh)).out;
    expect(chinese).toContain('状态   等待批准 · awaitPermission.asking · 没有进程在驱动');
    expect(chinese).toContain('      - 试图覆盖已有内容但是尚未被允许');
  });

  it('as JSON, with calls, questions and answers that wait', async () => {
    const { cwd, id } = await waiting();
    await agenthub(cwd, await approval(cwd, id));
    expect((await asJson(cwd, ['show', id])).json).toMatchObject({
      runId: id,
      status: 'waiting',
      questions: [{ callId: '1.0', missing: ['overwrite'] }],
      calls: [{ callId: '1.0', stands: 'asked', decisions: [{ action: 'ask', seq: 3 }] }],
      waitingAnswers: [{ type: 'permission.grant', callId: '1.0', by: 'terminal' }],
    });
    expect((await agenthub(cwd, ['show', id])).out).toMatch(
      /Answers that nobody has taken yet\n {2}approval of 1\.0 \(overwriting an existing file\) · terminal · /u,
    );
  });

  it('a list worked off, and how a suspended run goes on', async () => {
    const cwd = await pictureFolder('photo.png');
    const task =
      'First look up how to get an invoice, then resize photo.png to 16 px wide and save it as t.png';
    const config = { limits: { turns: 2 } };
    await writeFile(join(cwd, 'agenthub.config.json'), JSON.stringify(config));
    const { exitCode, err } = await agenthub(cwd, ['run', task]);
    const id = /stored as run (\w+)/u.exec(err)?.[1] ?? '';
    expect(exitCode).toBe(5);
    expect(err).toContain(`stored as run ${id} · To go on: agenthub resume ${id} --turns N`);
    const { out } = await agenthub(cwd, ['show', id]);
    expect(out).toContain(
      `end    limit.turns\nTo go on: agenthub resume ${id} --turns N\nTo do 0/2\n`,
    );
  });

  it.each([
    [
      'zh',
      '接着运行：',
      'limit.repairs (最后一条回复读不懂：没有任何标签（Action: 或 Final Answer:）：“I would rather not”)',
    ],
    [
      'en',
      'To go on: ',
      'limit.repairs (the last reply could not be read: it had none of the labels (Action: or Final Answer:): "I would rather not")',
    ],
  ])(
    'in %s, what could not be read, at the terminal and later; the flags are repeated',
    async (locale, goOn, why) => {
      const { baseURL } = await testEndpoint(
        stream([chunk({ content: 'I would\nrather not' }, 'stop')]),
      );
      const config = {
        model: { provider: 'openai', name: 'm', baseURL },
        protocol: 'react-text',
        limits: { repairs: 0 },
      };
      const cwd = await temporaryFolder({ 'own.json': config });
      const flags = ['--config', 'own.json', '--locale', locale, '--store', 'own.db'];
      const { exitCode, err } = await agenthub(cwd, ['run', 'task', ...flags]);
      expect([exitCode, err]).toEqual([5, expect.stringContaining(why)]);
      const id = / ([0-9a-f]{10}) · /u.exec(err)?.[1] ?? '';
      const again = `${goOn}agenthub resume ${id} --config own.json --locale ${locale} --store own.db --repairs N\n`;
      expect(err).toContain(again);
      const { out } = await agenthub(cwd, ['show', id, ...flags]);
      expect(out).toContain(why);
      expect(out).toContain(again);
    },
  );
});
