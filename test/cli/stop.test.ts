import { describe, expect, it } from 'vitest';
import { cli } from '../../src/cli/program.ts';
import { testEndpoint } from '../model/endpoint.ts';
import { fakeIo } from './fake-io.ts';
import { asJson } from './stored.ts';
import { temporaryFolder } from './temporary.ts';

/** A command in the middle of a model request that is never answered, when it is told to leave. */
async function stopped(args: readonly string[], lines: string | null = null, locale = 'en') {
  const cwd = await temporaryFolder();
  let isAsked = () => {};
  const asked = new Promise<void>((settle) => {
    isAsked = settle;
  });
  const { baseURL } = await testEndpoint(() => isAsked());
  const env = {
    AGENTHUB_PROVIDER: 'openai',
    AGENTHUB_MODEL: 'm',
    AGENTHUB_BASE_URL: baseURL,
    AGENTHUB_LOCALE: locale,
  };
  const person = fakeIo({ cwd, env, time: Date.now() });
  const done = cli(args, person.io);
  if (lines !== null) person.stdin.end(lines);
  await asked;
  person.stop('SIGTERM');
  return { cwd, exitCode: await done, out: person.out(), err: person.err() };
}

describe('a command that is told to leave in the middle of a run', () => {
  it('a stored run: how it goes on, in one line, with the flags that were given', async () => {
    const { cwd, exitCode, out, err } = await stopped(['run', 'hi', '--protocol', 'react-text']);
    const [run] = (await asJson(cwd, ['runs'])).json;
    expect(run).toMatchObject({ status: 'interrupted', drivenBy: null });
    expect([exitCode, out]).toEqual([143, '']);
    expect(err).toBe(
      `Told to leave by SIGTERM: run ${run.runId} is let go of and can go on at once: agenthub resume ${run.runId} --protocol react-text\n`,
    );
  });

  it('one that is not stored is over, and that is said', async () => {
    const { exitCode, err } = await stopped(['run', 'hi', '--no-store']);
    expect([exitCode, err]).toEqual([
      143,
      'Told to leave by SIGTERM: the run ends here; it was not stored and cannot go on.\n',
    ]);
    const chinese = await stopped(['run', 'hi', '--no-store'], null, 'zh');
    expect(chinese.err).toBe('收到 SIGTERM：运行停在这里；它没有存储，不能接着运行。\n');
  });

  it('for programs: the last line of the stream', async () => {
    const { exitCode, out, err } = await stopped(['run', 'hi', '--json-stream']);
    const { runId, ...last } = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '');
    expect([exitCode, err]).toEqual([143, '']);
    expect(last).toEqual({
      type: 'closed',
      signal: 'SIGTERM',
      resume: `agenthub resume ${runId}`,
      exitCode: 143,
    });
  });

  it('a chat ends with it; lines that come after are not begun', async () => {
    const { cwd, exitCode, err } = await stopped(['chat'], 'hi\nand more\n');
    const { json } = await asJson(cwd, ['runs']);
    expect([exitCode, json.length]).toEqual([143, 1]);
    expect(err).toContain(`can go on at once: agenthub resume ${json[0].runId}\n`);
  });

  it('with the page served it does not wait for anybody to look', async () => {
    const { exitCode, err } = await stopped(['run', 'hi', '--inspect']);
    expect([exitCode, err]).toEqual([143, expect.stringContaining('can go on at once')]);
  });
});
