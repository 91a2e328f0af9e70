import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { parseGrants } from '../../src/cli/flags.ts';
import { cli } from '../../src/cli/program.ts';
import { textWidth } from '../../src/cli/width.ts';
import { type FakeIoOptions, fakeIo } from './fake-io.ts';
import { pictureFolder, temporaryFolder } from './temporary.ts';

const KEYS = 'y 批准这一次';
const OVERWRITE = '把 photo.png 缩放到 32 宽，存成 small.png';

const COMMANDS = [
  ...['run', 'chat', 'tools', 'config', 'graph', 'demo', 'verify', 'runs', 'show', 'resume'],
  ...[
    'approve',
    'deny',
    'cancel',
    'why',
    'replay',
    'fork',
    'policy-check',
    'export',
    'import',
    'inspect',
  ],
];

async function agenthub(args: readonly string[], options: FakeIoOptions = {}) {
  // Runs are kept where the command is given: never here.
  const cwd = options.cwd ?? (await temporaryFolder());
  const person = fakeIo({ env: { LANG: 'zh_CN.UTF-8' }, ...options, cwd });
  return { person, exitCode: await cli(args, person.io) };
}

async function widthOf(path: string): Promise<number> {
  return (await sharp(await readFile(path)).metadata()).width;
}

describe('agenthub run', () => {
  it('puts the answer on stdout and everything else on stderr', async () => {
    const { person, exitCode } = await agenthub(['run', '七天无理由退货的运费由谁承担？']);
    expect(exitCode).toBe(0);
    expect(person.out()).toMatch(/运费由买家承担[^]*来源：after_sales\.md\n$/u);
    expect(person.err()).toMatch(/^没有配置模型[^]*工具 {3}knowledge_search [^]* · 成功/u);
    expect(person.err()).not.toContain('来源：');
  });

  it('says that offline rules answer only where nobody chose them', async () => {
    const { person } = await agenthub(['run', '退货', '--provider', 'offline']);
    expect(person.err()).not.toContain('没有配置模型');
  });

  it('overwrites nothing without a word: exit code 3', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const { person, exitCode } = await agenthub(['run', OVERWRITE], { cwd });
    expect(exitCode).toBe(3);
    expect(person.err()).toContain('询问   image_scaling · 试图覆盖已有内容但是尚未被允许');
    expect(person.err()).toContain('拒绝   image_scaling · 没有人可以询问，已拒绝');
    expect(await widthOf(join(cwd, 'small.png'))).toBe(64);
  });

  it('overwrites with --grant overwrite', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const { person, exitCode } = await agenthub(['run', OVERWRITE, '--grant', 'overwrite'], {
      cwd,
    });
    expect(exitCode).toBe(0);
    expect(person.err()).toContain('批准   image_scaling · 覆盖已有文件 · 答复者：命令行');
    expect(await widthOf(join(cwd, 'small.png'))).toBe(32);
  });

  it('a grant removes only its own reason; the other is asked for alone', async () => {
    const cwd = await pictureFolder('photo.png');
    const outside = await pictureFolder('small.png');
    const task = `把 photo.png 缩放到 32 宽，存成 ${join(outside, 'small.png')}`;
    const person = fakeIo({ tty: true, cwd, env: { LANG: 'zh_CN.UTF-8' } });
    const done = cli(['run', task, '--grant', 'outside'], person.io);
    await person.said(KEYS);
    expect(person.err()).toContain('  - 试图覆盖已有内容但是尚未被允许');
    expect(person.err()).not.toContain('  - 访问允许区域之外');
    person.press('y');
    expect(await done).toBe(0);
    expect(await widthOf(join(outside, 'small.png'))).toBe(32);
  });

  it('--on-ask deny asks nobody, even at a terminal', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const options = { cwd, tty: true };
    const { person, exitCode } = await agenthub(['run', OVERWRITE, '--on-ask', 'deny'], options);
    expect(exitCode).toBe(3);
    expect(person.err()).not.toContain(KEYS);
  });

  it('--json prints one object and never asks', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const { person, exitCode } = await agenthub(['run', OVERWRITE, '--json'], { cwd, tty: true });
    expect([exitCode, person.err()]).toEqual([3, '']);
    const result = JSON.parse(person.out());
    expect(person.out().trimEnd().split('\n')).toHaveLength(1);
    expect(result).toMatchObject({
      status: 'done',
      exitCode: 3,
      todos: [],
      usage: { inputTokens: 'unknown', requests: 2 },
    });
    expect(result.trace.map(({ kind }: { kind: string }) => kind)).toEqual([
      'model',
      'decision',
      'person',
      'model',
      'hook',
    ]);
  });

  it('--json-stream prints every event as a line, the outcome last', async () => {
    const { person, exitCode } = await agenthub(['run', '发票怎么开', '--json-stream']);
    const events = person
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([exitCode, person.err()]).toEqual([0, '']);
    expect(events[0]).toMatchObject({ type: 'state', state: 'callModel.checking' });
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(['state', 'step.started', 'step.finished', 'delta', 'rest']),
    );
    expect(events.at(-1)).toMatchObject({ type: 'rest', outcome: { status: 'done' } });
  });

  it('--quiet writes nothing but the answer', async () => {
    const { person, exitCode } = await agenthub(['run', '发票怎么开', '--quiet']);
    expect([exitCode, person.err()]).toEqual([0, '']);
    expect(person.out()).toContain('来源：invoices.md');
  });

  it.each([
    [['run', 'two', 'words'], 'too many arguments: 1 wanted, 2 given; a task of several words'],
    [['run', '  '], 'The task is empty'],
    [['run', 'x', '--nope'], 'there is no option --nope'],
    [['run', 'x', '--grant', 'everything'], '--grant: "everything" cannot be granted'],
    [['run', 'x', '--grant', ''], '--grant: "" cannot be granted'],
    [['run', 'x', '--on-ask', 'allow'], '--on-ask: "allow" is not known; allowed: deny, wait.'],
    [['run', 'x', '--on-ask', 'wait', '--no-store'], 'a run can only wait where it is stored'],
    [['run', 'x', '--json', '--json-stream'], 'use one of them'],
    [['graph', '--format', 'png'], '--format: "png" is not known; allowed: mermaid, json.'],
    [['demo', '--locale', 'fr'], '--locale: "fr" is not known; allowed: zh, en.'],
    [['fly'], 'there is no command fly'],
    [[], 'Usage: agenthub'],
  ])('%j is a usage error', async (args, complaint) => {
    const { person, exitCode } = await agenthub(args, { env: {} });
    expect([exitCode, person.out()]).toEqual([2, '']);
    expect(person.err()).toContain(complaint);
  });

  it('what is not flushed is lost, and is said to be', async () => {
    const person = fakeIo();
    const done = cli(['graph'], person.io);
    person.stdout.emit('error', Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    expect([await done, person.err()]).toEqual([1, 'agenthub: stdout: no space\n']);
  });

  it('a reader that has gone is no failure', async () => {
    const person = fakeIo();
    const done = cli(['graph'], person.io);
    person.stdout.emit('error', Object.assign(new Error('EPIPE'), { code: 'EPIPE' }));
    expect([await done, person.err()]).toEqual([0, '']);
  });
});

it('parses grants', () => {
  expect(parseGrants(undefined)).toEqual([]);
  expect(parseGrants('outside, service,overwrite,outside')).toEqual([
    'outside',
    'service',
    'overwrite',
  ]);
  expect(() => parseGrants('repeat')).toThrow(/"repeat" cannot be granted; use outside, service/u);
});

describe('agenthub chat', () => {
  it('takes piped lines, and each run goes on from the last', async () => {
    const cwd = await temporaryFolder();
    const person = fakeIo({ cwd, env: { LANG: 'zh_CN.UTF-8' } });
    const done = cli(['chat'], person.io);
    person.stdin.end('发票怎么开\n\n/todos\n先查一下发票怎么开，再查一下运费谁承担\n/todos\n');
    expect(await done).toBe(0);
    expect(person.out().match(/来源：/gu)?.length).toBeGreaterThanOrEqual(2);
    expect(person.err()).toContain('没有待办。');
    expect(person.err()).toContain('待办 2/2');
    expect(person.err()).not.toContain('> ');
  });

  it('leaves on /exit without reading on', async () => {
    const person = fakeIo({ cwd: await temporaryFolder() });
    const done = cli(['chat'], person.io);
    person.stdin.end('/exit\nhow do I get an invoice\n');
    expect([await done, person.out()]).toEqual([0, '']);
  });

  it('asks for permission at the terminal, and goes back to its prompt', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const person = fakeIo({ tty: true, cwd, env: { LANG: 'zh_CN.UTF-8' } });
    const done = cli(['chat'], person.io);
    await person.said('> ');
    person.press(`${OVERWRITE}\r`);
    await person.said(KEYS);
    const from = person.err().length;
    person.press('y');
    await person.said('> ', from);
    expect(await widthOf(join(cwd, 'small.png'))).toBe(32);
    person.press('\u0004');
    expect(await done).toBe(0);
    expect(person.stdin.isRaw).toBe(false);
  });

  it('Ctrl-C during a run cancels the run; at the prompt it leaves', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const person = fakeIo({ tty: true, cwd, env: { LANG: 'zh_CN.UTF-8' } });
    const done = cli(['chat'], person.io);
    await person.said('> ');
    person.press(`${OVERWRITE}\r`);
    await person.said(KEYS);
    const from = person.err().length;
    person.interrupt();
    await person.said('运行已取消。', from);
    await person.said('> ', from);
    expect(await widthOf(join(cwd, 'small.png'))).toBe(64);
    person.press('\u0003');
    expect([await done, person.exits]).toEqual([0, []]);
  });
});

describe('what can be looked up', () => {
  it('tools: each with its policy; echo has none', async () => {
    const { person } = await agenthub(['tools']);
    expect(person.out()).toMatch(/^echo\n[^]*?权限策略: 没有（每次调用都会被拒绝）\n/u);
    expect(person.out()).toContain('    ask overwrite: 试图覆盖已有内容但是尚未被允许');
    const { person: asJson } = await agenthub(['tools', '--json']);
    expect(JSON.parse(asJson.out())).toMatchObject([
      { name: 'echo', policy: null },
      { name: 'knowledge_search', policy: 'allow' },
      { name: 'image_scaling', policy: { rules: { length: 3 } } },
      { name: 'todo_write', policy: 'allow' },
    ]);
  });

  it('tools: one line of configuration covers echo', async () => {
    const file = { permissions: { policies: { echo: 'allow' } } };
    const cwd = await temporaryFolder({ 'agenthub.config.json': file });
    const { person } = await agenthub(['tools', '--json', '--config', 'agenthub.config.json'], {
      cwd,
    });
    expect(JSON.parse(person.out())[0]).toMatchObject({ name: 'echo', policy: 'allow' });
  });

  it('graph: as Mermaid and as JSON', async () => {
    const { person } = await agenthub(['graph']);
    expect(person.out()).toMatch(/^stateDiagram-v2\n {2}\[\*\] --> submitPrompt\n/u);
    const { person: asJson } = await agenthub(['graph', '--format', 'json']);
    expect(JSON.parse(asJson.out())).toMatchObject({ initial: 'submitPrompt' });
  });

  it.each([
    [['--help'], {}, /^Usage: agenthub \[options\] \[command\]\n/u],
    [['help'], { LANG: 'zh_CN.UTF-8' }, /^用法： agenthub \[选项\] \[命令\]\n/u],
    [['run', '--help'], {}, /Exit codes:\n {2}0 done/u],
    [['help', 'run'], { AGENTHUB_LOCALE: 'zh' }, /退出码：\n {2}0 完成/u],
    [['run', '--help', '--locale', 'zh'], {}, /回车不起作用/u],
    [['run', '--help', '--locale=zh'], {}, /回车不起作用/u],
  ])('help: %j in the language of the person', async (args, env, expected) => {
    const { person, exitCode } = await agenthub(args, { env });
    expect([exitCode, person.err()]).toEqual([0, '']);
    expect(person.out()).toMatch(expected);
  });

  it.each(['zh', 'en'])('help in %s mixes no languages and fits 80 columns', async (locale) => {
    for (const command of [[], ...COMMANDS.map((name) => [name])]) {
      const { person } = await agenthub(['help', ...command], { env: { AGENTHUB_LOCALE: locale } });
      if (locale === 'en') expect(person.out()).not.toMatch(/\p{Script=Han}/u);
      else expect(person.out()).not.toMatch(/show help|Options|Usage/u);
      for (const line of person.out().split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(80);
    }
  });

  it('the version', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const { person, exitCode } = await agenthub(['--version']);
    expect([exitCode, person.out()]).toEqual([0, `${version}\n`]);
  });
});

describe('agenthub demo', () => {
  it.each(['zh', 'en'])('in %s ends well, twice the same', async (locale) => {
    const first = await agenthub(['demo', '--locale', locale]);
    const second = await agenthub(['demo', '--locale', locale]);
    expect([first.exitCode, second.exitCode]).toEqual([0, 0]);
    expect(second.person.out()).toBe(first.person.out());
    expect(second.person.err()).toBe(first.person.err());
  });

  it('shows a sourced answer, a scaled picture, a refusal and a list worked off', async () => {
    const { person } = await agenthub(['demo']);
    expect(person.out()).toContain('来源：after_sales.md');
    expect(person.out()).toContain('试图覆盖已有内容但是尚未被允许');
    expect(person.err()).toContain('拒绝   image_scaling · 没有人可以询问，已拒绝');
    expect(person.err()).toContain('待办 2/2\n  [x] 查一下发票怎么开\n  [x] 把 photo.jpg');
    expect(person.err()).toMatch(
      /photo\.jpg: 640 × 400 jpeg\nsmall\.webp: 320 × 200 webp\nthumb\.png: 160 × 100 png\n$/u,
    );
  });
});
