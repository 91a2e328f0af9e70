import { describe, expect, it } from 'vitest';
import { cli } from '../../src/cli/program.ts';
import { type FakeIoOptions, fakeIo } from './fake-io.ts';
import { agenthub } from './stored.ts';
import { temporaryFolder } from './temporary.ts';

describe('a command that is not written as it must be', () => {
  it.each([
    [
      ['show'],
      'the argument <run> is missing\n(agenthub show --help shows how)',
      '缺少参数 <run>\n（agenthub show --help 查看用法）',
    ],
    [
      ['run', 'hi', '--foo'],
      'there is no option --foo\n(agenthub run --help shows how)',
      '没有选项 --foo\n（agenthub run --help 查看用法）',
    ],
    [
      ['run', 'hi', '--stor', 'x'],
      'there is no option --stor; did you mean --store?\n(agenthub run --help shows how)',
      '没有选项 --stor；是不是 --store？\n（agenthub run --help 查看用法）',
    ],
    [
      ['run', 'hi', '--store'],
      'the option --store <file> needs a value\n(agenthub run --help shows how)',
      '选项 --store <file> 后面缺少值\n（agenthub run --help 查看用法）',
    ],
    [
      ['fork', 'x'],
      'the option --at <n> must be given\n(agenthub fork --help shows how)',
      '必须给出选项 --at <n>\n（agenthub fork --help 查看用法）',
    ],
    [
      ['run', 'two', 'words'],
      'too many arguments: 1 wanted, 2 given; a task of several words takes quotes\n(agenthub run --help shows how)',
      '参数太多：要 1 个，给了 2 个；几个词的任务要用引号括起来\n（agenthub run --help 查看用法）',
    ],
    [
      ['show', 'a', 'b'],
      'too many arguments: 1 wanted, 2 given\n(agenthub show --help shows how)',
      '参数太多：要 1 个，给了 2 个\n（agenthub show --help 查看用法）',
    ],
    [
      ['frobnicate'],
      'there is no command frobnicate\n(agenthub --help shows how)',
      '没有命令 frobnicate\n（agenthub --help 查看用法）',
    ],
    [
      ['help', 'frobnicate'],
      'there is no command frobnicate\n(agenthub --help shows how)',
      '没有命令 frobnicate\n（agenthub --help 查看用法）',
    ],
    [
      ['run', 'x', '--grant', 'foo'],
      '--grant: "foo" cannot be granted; use outside, service, overwrite, use, hook, separated by commas.',
      '--grant："foo" 不能批准；可以用 outside, service, overwrite, use, hook，逗号分隔。',
    ],
    [
      ['run', 'x', '--on-ask', 'foo'],
      '--on-ask: "foo" is not known; allowed: deny, wait.',
      '--on-ask：不认识 "foo"；允许：deny, wait。',
    ],
    [
      ['runs', '--status', 'foo'],
      '--status: "foo" is not known; allowed: running, interrupted, waiting, suspended, done, failed, cancelled.',
      '--status：不认识 "foo"；允许：running, interrupted, waiting, suspended, done, failed, cancelled。',
    ],
    [
      ['runs', '--limit', 'foo'],
      '--limit: "foo" is no whole number from 1 on.',
      '--limit："foo" 不是不小于 1 的整数。',
    ],
    [
      ['approve', 'a', '1.0', '--expires', 'soon'],
      '--expires: "soon" is no duration; write 30s, 10m, 2h or 1d.',
      '--expires："soon" 不是时长；请写成 30s、10m、2h 或 1d。',
    ],
    [
      ['run', 'x', '--json', '--json-stream'],
      '--json and --json-stream: use one of them.',
      '--json 和 --json-stream：只能用一个。',
    ],
    [
      ['verify', '--calls', '3'],
      '--calls: "3" is not known; allowed: 1, 2.',
      '--calls：不认识 "3"；允许：1, 2。',
    ],
    [
      ['graph', '--format', 'png', '--locale', 'LOCALE'],
      '--format: "png" is not known; allowed: mermaid, json.',
      '--format：不认识 "png"；允许：mermaid, json。',
    ],
    [
      ['graph', '--locale', 'fr'],
      '--locale: "fr" is not known; allowed: zh, en.',
      '--locale：不认识 "fr"；允许：zh, en。',
    ],
    [
      ['inspect', '--port', '99999'],
      '--port: "99999" is no port; ports are whole numbers from 1 to 65535.',
      '--port："99999" 不是端口；端口是 1 到 65535 的整数。',
    ],
    [
      ['run', ''],
      'The task is empty: say what is to be done, such as agenthub run "How do I get an invoice?".',
      '任务是空的：请说明要做什么，如 agenthub run "发票怎么开？"。',
    ],
  ])('%j: what is wrong and what to do, exit code 2', async (args, en, zh) => {
    const cwd = await temporaryFolder();
    for (const [locale, words] of Object.entries({ en, zh })) {
      const written = args.map((arg) => (arg === 'LOCALE' ? locale : arg));
      const given = await agenthub(cwd, written, { env: { AGENTHUB_LOCALE: locale } });
      expect(given).toEqual({ exitCode: 2, out: '', err: `agenthub: ${words}\n` });
    }
  });

  it('--locale counts for what the parser itself complains of', async () => {
    const { err } = await agenthub(await temporaryFolder(), ['show', '--locale', 'zh']);
    expect(err).toBe('agenthub: 缺少参数 <run>\n（agenthub show --help 查看用法）\n');
  });
});

describe('a file that is named and cannot be read', () => {
  it.each([['run', 'x', '--config'], ['import'], ['policy-check']])(
    '%s %s %s: the same words',
    async (...args) => {
      const cwd = await temporaryFolder();
      await agenthub(cwd, ['run', 'hello']);
      const words = args.filter((arg) => arg !== undefined);
      const en = await agenthub(cwd, [...words, 'nope.json']);
      const problem = `agenthub: ${cwd}/nope.json: cannot be read (ENOENT)\n`;
      expect(en).toEqual({ exitCode: 2, out: '', err: problem });
      const zh = await agenthub(cwd, [...words, 'nope.json', '--locale', 'zh']);
      expect(zh.err).toBe(`agenthub: ${cwd}/nope.json: 无法读取（ENOENT）\n`);
    },
  );
});

describe('a task from stdin', () => {
  async function runPiped(args: readonly string[], text: string, options: FakeIoOptions = {}) {
    const person = fakeIo({ cwd: await temporaryFolder(), ...options });
    const done = cli(args, person.io);
    person.stdin.end(text);
    return { exitCode: await done, out: person.out(), err: person.err() };
  }

  it.each([[['run', '-']], [['run']]])('%j reads all of it', async (args) => {
    const { exitCode, out } = await runPiped(args, '\ufeff\n  How do I get an invoice?\n');
    expect([exitCode, out]).toEqual([0, expect.stringContaining('Source: en/invoices.md')]);
  });

  it('an empty one is a usage error', async () => {
    expect(await runPiped(['run', '-'], ' \n')).toEqual({
      exitCode: 2,
      out: '',
      err: 'agenthub: The task is empty: nothing came from stdin. Write echo "How do I get an invoice?" | agenthub run -, or give the task as an argument.\n',
    });
    const { err } = await runPiped(['run', '--locale', 'zh'], '');
    expect(err).toMatch(/^agenthub: 任务是空的：stdin 里什么也没有。/u);
  });

  it('at a terminal no argument is none: nobody is kept waiting', async () => {
    const { exitCode, err } = await agenthub(await temporaryFolder(), ['run'], { tty: true });
    expect([exitCode, err]).toEqual([
      2,
      'agenthub: There is no task: give it as one argument, such as agenthub run "How do I get an invoice?"; - reads it from stdin.\n(agenthub run --help shows how)\n',
    ]);
  });
});
