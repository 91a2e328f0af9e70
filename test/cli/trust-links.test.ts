import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { agenthub as inFolder } from './stored.ts';
import { temporaryFolder } from './temporary.ts';

const FILE = 'agenthub.config.json';
const TASK = 'How do I get a hammock?';

/** The person's own configuration folder, and one of their own, that a link leads to. */
let [own, diary] = ['', ''];
beforeEach(async () => {
  [own, diary] = [await temporaryFolder(), await temporaryFolder()];
  await writeFile(join(diary, 'diary.md'), '## Hammock\n\nThe hammock hangs behind the house.\n');
});

const agenthub = (cwd: string, args: readonly string[], env: Record<string, string> = {}) =>
  inFolder(cwd, args, { env: { XDG_CONFIG_HOME: own, ...env } });

describe('knowledge that a folder brings as a link out of it', () => {
  it('is not searched: where it leads and how to mean it are told; exit code 2', async () => {
    const cwd = await temporaryFolder();
    await symlink(diary, join(cwd, 'knowledge'));
    const { exitCode, out, err } = await agenthub(cwd, ['run', TASK]);
    expect([exitCode, out, err]).toEqual([
      2,
      '',
      `agenthub: knowledge: ${cwd}/knowledge is a link that leads out of this folder, to ${diary}. If that is meant, say so: --knowledge <path>.\n`,
    ]);
    const chinese = await agenthub(cwd, ['run', TASK], { LANG: 'zh_CN.UTF-8' });
    expect(chinese.err).toContain(`是通到这个目录之外的链接：${diary}。`);
  });

  it('is searched where a person says so, by a flag, a variable or a file they trust', async () => {
    const cwd = await temporaryFolder();
    await symlink(diary, join(cwd, 'knowledge'));
    const said = [
      await agenthub(cwd, ['run', TASK, '--knowledge', 'knowledge']),
      await agenthub(cwd, ['run', TASK], { AGENTHUB_KNOWLEDGE: 'knowledge' }),
    ];
    for (const { out } of said) expect(out).toContain('behind the house');
    await writeFile(join(cwd, FILE), '{"knowledge":"knowledge"}');
    const found = await agenthub(cwd, ['run', TASK]);
    expect([found.exitCode, found.out]).toEqual([2, '']);
    expect(found.err).toContain(
      `knowledge: lets the model search outside this folder: ${cwd}/knowledge`,
    );
    await agenthub(cwd, ['trust', '--yes']);
    expect((await agenthub(cwd, ['run', TASK])).out).toContain('behind the house');
  });

  it('is searched unasked where the link stays in the folder', async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, 'texts'));
    await writeFile(join(cwd, 'texts', 'a.md'), '## Hammock\n\nA hammock is on the shelf.\n');
    await symlink('texts', join(cwd, 'knowledge'));
    expect((await agenthub(cwd, ['run', TASK])).out).toContain('on the shelf');
  });
});

describe('a place for runs that a folder brings as a link out of it', () => {
  it.each([
    ['the folder', '.agenthub', ''],
    ['the database, of which nothing is there yet', join('.agenthub', 'runs.db'), 'runs.db'],
  ])('nothing is written through %s; named, it is', async (_, link, name) => {
    const cwd = await temporaryFolder();
    if (name !== '') await mkdir(join(cwd, '.agenthub'));
    await symlink(join(diary, name), join(cwd, link));
    const { exitCode, err } = await agenthub(cwd, ['run', TASK]);
    const written = () => existsSync(join(diary, 'runs.db'));
    expect([exitCode, written()]).toEqual([2, false]);
    expect(err).toContain(`is a link that leads out of this folder, to ${diary}/runs.db.`);
    await writeFile(join(cwd, FILE), '{"store":".agenthub/runs.db"}');
    expect((await agenthub(cwd, ['run', TASK])).exitCode).toBe(2);
    const named = await agenthub(cwd, ['run', TASK, '--store', '.agenthub/runs.db']);
    expect([named.exitCode, written()]).toEqual([0, true]);
  });

  it('links that lead round in a circle end', async () => {
    const cwd = await temporaryFolder();
    await symlink('.agenthub', join(cwd, '.agenthub'));
    expect((await agenthub(cwd, ['run', TASK])).exitCode).not.toBe(0);
  });
});

describe('the time to answer that a folder brings', () => {
  it('needs trust where nothing is stored and it is longer than what holds then', async () => {
    const cwd = await temporaryFolder({ [FILE]: { limits: { approvalDeadline: 700_000 } } });
    const unstored = await agenthub(cwd, ['run', TASK, '--no-store']);
    expect(unstored.exitCode).toBe(2);
    expect(unstored.err).toContain('milliseconds to answer a question: raised to 700000');
    expect((await agenthub(cwd, ['run', TASK])).exitCode).toBe(0);
  });
});
