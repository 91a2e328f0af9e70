import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { cli } from '../../src/cli/program.ts';
import type { RunList, RunPage } from '../../src/inspector/api.types.ts';
import { fakeIo } from './fake-io.ts';
import { pictureFolder, temporaryFolder } from './temporary.ts';

const OVERWRITE = 'Resize photo.png to 32 px wide and save it as small.png';
const env = { LANG: 'en_US.UTF-8' };

/** Speaks to an inspector as its page does. */
function pageOf(address: string) {
  const url = new URL(address);
  const fragment = new URLSearchParams(url.hash.slice(1));
  const headers = {
    authorization: `Bearer ${fragment.get('token')}`,
    origin: url.origin,
    'content-type': 'application/json',
  };
  return {
    run: fragment.get('run'),
    get: async <Value>(path: string) =>
      (await (await fetch(`${url.origin}/api/${path}`, { headers })).json()) as Value,
    post: (path: string, body: unknown) =>
      fetch(`${url.origin}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
  };
}

const addressIn = (text: string) => /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/u.exec(text)?.[0] ?? '';

describe('agenthub inspect', () => {
  it('prints its address on stdout, serves the stored runs, and ends on Ctrl-C', async () => {
    const cwd = await temporaryFolder();
    await cli(['run', 'Who pays the postage of a return?'], fakeIo({ cwd, env }).io);
    const person = fakeIo({ cwd, env });
    const served = cli(['inspect'], person.io);
    await person.said('Ctrl-C');
    expect(person.out()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\n$/u);
    const { runs } = await pageOf(addressIn(person.out())).get<RunList>('runs');
    expect(runs).toMatchObject([{ prompt: 'Who pays the postage of a return?', status: 'done' }]);
    person.interrupt();
    expect(await served).toBe(0);
    await expect(fetch(new URL(addressIn(person.out())).origin)).rejects.toThrow();
  });

  it('ends when the process is told to leave', async () => {
    const person = fakeIo({ cwd: await temporaryFolder(), env });
    const served = cli(['inspect'], person.io);
    await person.said('Ctrl-C');
    person.stop('SIGTERM');
    expect(await served).toBe(143);
    await expect(fetch(new URL(addressIn(person.out())).origin)).rejects.toThrow();
  });

  it('serves an empty store, and opens the run that is named', async () => {
    const cwd = await temporaryFolder();
    const person = fakeIo({ cwd, env });
    const served = cli(['inspect'], person.io);
    await person.said('Ctrl-C');
    expect(person.err()).toContain(
      `${join(cwd, '.agenthub', 'runs.db')} is new and holds no runs yet; agenthub run starts one.\n`,
    );
    expect(await pageOf(addressIn(person.out())).get('runs')).toEqual({ runs: [] });
    person.interrupt();
    await served;
    const other = fakeIo({ cwd, env });
    expect(await cli(['inspect', 'nobody'], other.io)).toBe(2);
    expect(await cli(['inspect', '--port', 'x'], fakeIo({ cwd, env }).io)).toBe(2);
  });
});

describe('agenthub run --inspect', () => {
  it('asks in the page where there is no terminal; its answer counts', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const person = fakeIo({ cwd, env });
    const done = cli(['run', OVERWRITE, '--inspect'], person.io);
    await person.said('#token=');
    await person.said('image_scaling');
    const page = pageOf(addressIn(person.err()));
    const path = `runs/${page.run}`;
    let shown = await page.get<RunPage>(path);
    while (shown.run.questions.length === 0) shown = await page.get<RunPage>(path);
    const [question] = shown.run.questions;
    expect(question).toMatchObject({ tool: 'image_scaling', missing: ['overwrite'] });
    const { callId, digest } = question ?? {};
    const answered = await page.post(`${path}/answer`, { callId, digest, answer: 'approve' });
    expect(await answered.json()).toMatchObject({ result: { accepted: true } });
    expect(await done).toBe(0);
    expect((await sharp(await readFile(join(cwd, 'small.png'))).metadata()).width).toBe(32);
    expect(person.err()).toContain('by web');
  });

  it('is opened at a question with o, which goes on asking; the page answers it too', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const opened = join(cwd, 'opened');
    // What the desktop opens addresses with, as far as this test goes.
    await writeFile(join(cwd, 'xdg-open'), `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 });
    const PATH = `${cwd}:${process.env.PATH}`;
    const person = fakeIo({ cwd, env: { ...env, PATH }, tty: true });
    const done = cli(['run', OVERWRITE], person.io);
    await person.said('o open the page');
    person.press('o');
    await person.said('#token=');
    await person.said('o open the page', person.err().indexOf('#token='));
    const address = addressIn(person.err());
    await expect.poll(() => readFile(opened, 'utf8').catch(() => '')).toBe(`${address}\n`);
    const page = pageOf(address);
    const path = `runs/${page.run}`;
    const { run } = await page.get<RunPage>(path);
    const { callId, digest } = run.questions[0] ?? {};
    await page.post(`${path}/answer`, { callId, digest, answer: 'deny', reason: 'from the page' });
    // The page stays until the person is done with it.
    await person.said('Ctrl-C ends it.');
    expect((await page.get<RunPage>(path)).run.state).toBe('done');
    person.interrupt();
    expect(await done).toBe(0);
    expect(person.err()).toContain('by web');
    await expect(fetch(new URL(address).origin)).rejects.toThrow();
  });

  it('says before it asks again that no browser could be opened', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const person = fakeIo({ cwd, env: { ...env, PATH: cwd }, tty: true });
    const done = cli(['run', OVERWRITE], person.io);
    await person.said('o open the page');
    person.press('o');
    await person.said('No browser could be opened');
    await person.said('o open the page', person.err().indexOf('No browser could be opened'));
    expect(person.err().match(/o open the page/gu)).toHaveLength(2);
    person.press('\u001b');
    await person.said('Ctrl-C ends it.');
    person.interrupt();
    expect(await done).toBe(0);
  });

  it('needs a store', async () => {
    const cwd = await temporaryFolder();
    const person = fakeIo({ cwd, env });
    expect(await cli(['run', 'hello', '--inspect', '--no-store'], person.io)).toBe(2);
    expect(person.err()).toContain('--inspect: the page shows stored runs');
  });
});

describe('agenthub run --stately', () => {
  it('says what stately.ai sees, and works as without', async () => {
    const person = fakeIo({ cwd: await temporaryFolder(), env });
    expect(await cli(['run', 'Who pays the postage of a return?', '--stately'], person.io)).toBe(0);
    expect(person.err()).toContain('stately.ai sees names of tools, ids and figures');
    const { origin } = new URL(addressIn(person.err()));
    await expect(fetch(origin)).rejects.toThrow();
  });
});
