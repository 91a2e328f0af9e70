import { describe, expect, it } from 'vitest';
import { EXIT, worstOf } from '../../src/cli/exit-codes.ts';
import { cli } from '../../src/cli/program.ts';
import { fakeIo } from './fake-io.ts';
import { TASK } from './stored.ts';
import { pictureFolder, temporaryFolder } from './temporary.ts';

async function chat(lines: string, locale: string) {
  const person = fakeIo({ cwd: await temporaryFolder(), env: { AGENTHUB_LOCALE: locale } });
  const done = cli(['chat'], person.io);
  person.stdin.end(lines);
  return { exitCode: await done, out: person.out(), err: person.err() };
}

describe('commands in a chat', () => {
  it('the first lines say how to get help and how to leave', async () => {
    const { err } = await chat('', 'en');
    expect(err).toContain('One task per line; /help lists the commands, /exit or Ctrl-D leaves.\n');
  });

  it('/help lists them', async () => {
    const { out, err } = await chat('/help\n', 'en');
    expect(out).toBe('');
    expect(err).toContain(
      '/todos  shows the to-do list\n/help   lists the commands\n/exit   leaves (Ctrl-D too)\nDuring a run Ctrl-C cancels it.\n',
    );
    expect((await chat('/help\n', 'zh')).err).toContain('/todos  看待办\n/help   列出命令\n');
  });

  it.each(['/quit', '/Help me', '/', '/表 x'])(
    '%s is none, and is not sent to the model',
    async (line) => {
      const [word] = line.split(' ');
      const { out, err } = await chat(`${line}\n`, 'en');
      expect(out).toBe('');
      expect(err).toContain(
        `There is no command ${word}; it was not sent to the model. The commands:\n/todos`,
      );
      expect((await chat(`${line}\n`, 'zh')).err).toContain(`没有命令 ${word}，没有发给模型。`);
    },
  );

  it('a path at the beginning of a task is no command, and exit is a word like any other', async () => {
    const { out } = await chat('/home/me/none.png 缩放到 32 宽，存成 b.png\nexit\n', 'zh');
    expect(out).toContain('"/home/me/none.png"');
    expect(out).toContain('answers "exit", so I do not know');
  });
});

describe('the exit code of a chat', () => {
  it.each([
    ['hello\n', 0],
    [`${TASK}\nhello\n`, 3],
    ['hello\n/help\n', 0],
  ])('of %j is that of the run that ended worst', async (lines, expected) => {
    const person = fakeIo({ cwd: await pictureFolder('photo.png', 'small.png') });
    const done = cli(['chat'], person.io);
    person.stdin.end(lines);
    expect(await done).toBe(expected);
  });

  it.each(['en', 'zh'])('is documented in %s', async (locale) => {
    const person = fakeIo({ env: { AGENTHUB_LOCALE: locale } });
    await cli(['chat', '--help'], person.io);
    expect(person.out()).toMatch(/0[,、] ?3[,、] ?5[,、] ?130[,、] ?1[,、] ?4/u);
  });

  it.each([
    [[EXIT.undecided, EXIT.done], EXIT.undecided],
    [[EXIT.suspended, EXIT.undecided], EXIT.suspended],
    [[EXIT.failed, EXIT.interrupted], EXIT.failed],
    [[EXIT.failed, EXIT.auth], EXIT.auth],
  ])('the worst of %j is %i', ([one = EXIT.done, other = EXIT.done], worst) => {
    expect([worstOf(one, other), worstOf(other, one)]).toEqual([worst, worst]);
  });
});
