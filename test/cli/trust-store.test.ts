import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../../src/cli/program.ts';
import { isKnownStore, knownStores } from '../../src/cli/trust/known-stores.ts';
import { answer } from '../run/support.ts';
import { fakeIo } from './fake-io.ts';
import { approval, databaseOf, agenthub as inFolder, storeRun, TASK, widthIn } from './stored.ts';
import { pictureFolder, temporaryFolder } from './temporary.ts';

/** Two people's own configuration folders, new ones for each test. */
let [sender, receiver] = ['', ''];
beforeEach(async () => {
  [sender, receiver] = [await temporaryFolder(), await temporaryFolder()];
});

const as = (own: string) => ({ XDG_CONFIG_HOME: own });
const agenthub = (cwd: string, args: readonly string[], env: Record<string, string> = {}) =>
  inFolder(cwd, args, { env: { ...as(receiver), ...env } });

/** A folder that somebody else packed, with a run in which overwriting a picture is approved. */
async function brought() {
  const cwd = await pictureFolder('photo.png', 'small.png');
  const theirs = { env: as(sender) };
  const { out } = await inFolder(cwd, ['run', TASK, '--on-ask', 'wait', '--json'], theirs);
  const id = JSON.parse(out).runId as string;
  const approving = await approval(cwd, id, theirs);
  expect((await inFolder(cwd, approving, theirs)).exitCode).toBe(0);
  return { cwd, id, approving };
}

const refusal = (id: string, cwd: string) =>
  `agenthub: Run ${id} has open calls, and ${databaseOf(cwd)} was not made here: what was approved in it starts nothing. Nothing was written. Look (agenthub show ${id}), then trust it: agenthub trust. Or name it: --store <file>. Or fork before these calls: agenthub fork ${id} --at 1.\n`;

describe('stored runs that came with a folder', () => {
  it('what was approved in them starts nothing; the ways on are told; exit code 2', async () => {
    const { cwd, id, approving } = await brought();
    const { exitCode, out, err } = await agenthub(cwd, ['resume', id]);
    expect([exitCode, out, err, await widthIn(cwd)]).toEqual([2, '', refusal(id, cwd), 64]);
    const chinese = await agenthub(cwd, ['resume', id], { LANG: 'zh_CN.UTF-8' });
    expect(chinese.err).toContain(
      `运行 ${id} 有未完成的调用，而 ${databaseOf(cwd)} 不是在这里建立的：里面的批准不让任何东西开始。`,
    );
    const granted = await agenthub(cwd, ['resume', id, '--grant', 'overwrite', '--json']);
    expect([granted.exitCode, granted.out, await widthIn(cwd)]).toEqual([2, '', 64]);
    const answered = await agenthub(cwd, [...approving, '--resume']);
    expect([answered.exitCode, await widthIn(cwd)]).toEqual([2, 64]);
    expect(answered.err).toContain('The answer is kept in the inbox');
  });

  it('can be looked at, forked before these calls, cancelled and exported', async () => {
    const { cwd, id } = await brought();
    for (const args of [['runs'], ['show', id], ['why', id, '1.0'], ['replay', id], ['export', id]])
      expect([args, (await agenthub(cwd, args)).exitCode]).toEqual([args, 0]);
    const { out } = await agenthub(cwd, ['fork', id, '--at', '1', '--json']);
    const fork = await agenthub(cwd, ['resume', JSON.parse(out).runId]);
    // The model decides anew, and this person is asked.
    expect([fork.exitCode, await widthIn(cwd)]).toEqual([3, 64]);
    expect((await agenthub(cwd, ['cancel', id])).exitCode).toBe(0);
  });

  it('go on once they are trusted', async () => {
    const { cwd, id } = await brought();
    const asked = await agenthub(cwd, ['trust']);
    expect([asked.exitCode, asked.err]).toEqual([
      2,
      expect.stringContaining(
        `${databaseOf(cwd)} was not made here and nobody has trusted it. To trust it lets calls start that were approved in it.\n`,
      ),
    ]);
    expect((await agenthub(cwd, ['trust', '--yes'])).exitCode).toBe(0);
    expect((await agenthub(cwd, ['trust', '--list'])).out).toBe(`${databaseOf(cwd)}  (trusted)\n`);
    expect((await agenthub(cwd, ['resume', id])).exitCode).toBe(0);
    expect(await widthIn(cwd)).toBe(32);
    const revoked = await agenthub(cwd, ['trust', '--revoke']);
    expect(revoked.out).toBe(`no longer trusted: ${databaseOf(cwd)}\n`);
  });

  it('go on where a person names the database: by a flag, or a variable with an absolute path', async () => {
    const named = await brought();
    const args = ['resume', named.id, '--store', '.agenthub/runs.db'];
    expect((await agenthub(named.cwd, args)).exitCode).toBe(0);
    expect(await widthIn(named.cwd)).toBe(32);
    const { cwd, id } = await brought();
    // A relative one would name every folder's.
    const relative = await agenthub(cwd, ['resume', id], { AGENTHUB_STORE: '.agenthub/runs.db' });
    expect([relative.exitCode, await widthIn(cwd)]).toEqual([2, 64]);
    const absolute = await agenthub(cwd, ['resume', id], { AGENTHUB_STORE: databaseOf(cwd) });
    expect([absolute.exitCode, await widthIn(cwd)]).toEqual([0, 32]);
  });

  it('the file that names one vouches for itself, not for what is in the database', async () => {
    const { cwd, id } = await brought();
    const config = JSON.stringify({ store: './.agenthub/runs.db', instructions: 'Be brief.' });
    await writeFile(join(cwd, 'agenthub.config.json'), config);
    await agenthub(cwd, ['trust', '--yes', 'agenthub.config.json']);
    expect((await agenthub(cwd, ['resume', id])).exitCode).toBe(2);
    expect((await agenthub(cwd, ['resume', id, '--config', 'agenthub.config.json'])).exitCode).toBe(
      2,
    );
    expect(await widthIn(cwd)).toBe(64);
  });

  it('a run without open calls goes on: what comes next is decided here', async () => {
    const cwd = await temporaryFolder();
    await storeRun(cwd, [answer('ok')], { id: 'over', isOwn: false });
    expect((await agenthub(cwd, ['resume', 'over'])).err).toContain('has ended (done)');
    const limited = await temporaryFolder({ 'agenthub.config.json': { limits: { turns: 1 } } });
    const { out } = await inFolder(limited, ['run', 'how do I get an invoice?', '--json'], {
      env: as(sender),
    });
    const { exitCode } = await agenthub(limited, ['resume', JSON.parse(out).runId, '--turns', '9']);
    expect(exitCode).toBe(0);
  });
});

describe('a database that was made here', () => {
  it('is known by whoever made it, and goes on', async () => {
    const { cwd, id } = await brought();
    expect((await inFolder(cwd, ['trust', '--list'], { env: as(sender) })).out).toBe(
      `${databaseOf(cwd)}  (made here)\n`,
    );
    expect((await inFolder(cwd, ['resume', id], { env: as(sender) })).exitCode).toBe(0);
    expect(await widthIn(cwd)).toBe(32);
  });

  it('is another one where it was copied over, moved, or reached by a link elsewhere', async () => {
    const { cwd } = await brought();
    expect(isKnownStore(databaseOf(cwd), as(sender))).toBe(true);
    const copy = await temporaryFolder();
    await cp(join(cwd, '.agenthub'), join(copy, '.agenthub'), { recursive: true });
    expect(isKnownStore(databaseOf(copy), as(sender))).toBe(false);
    await rename(databaseOf(cwd), `${databaseOf(cwd)}.old`);
    await cp(`${databaseOf(cwd)}.old`, databaseOf(cwd));
    expect(isKnownStore(databaseOf(cwd), as(sender))).toBe(false);
    expect((await inFolder(cwd, ['trust', '--list'], { env: as(sender) })).out).toContain(
      'changed since; it will be asked about',
    );
  });

  it('an entry that is damaged vouches for nothing, and many at once lose none', async () => {
    const folders = await Promise.all([1, 2, 3, 4].map(() => temporaryFolder()));
    await Promise.all(folders.map((cwd) => agenthub(cwd, ['run', 'how do I get an invoice?'])));
    expect(
      knownStores(as(receiver))
        .map(({ place }) => place)
        .sort(),
    ).toEqual(folders.map(databaseOf).sort());
    const stores = join(receiver, 'agenthub', 'stores');
    for (const name of await readdir(stores)) await writeFile(join(stores, name), '{"place":1}');
    expect(folders.some((cwd) => isKnownStore(databaseOf(cwd), as(receiver)))).toBe(false);
  });

  it('that could not be recorded does its work all the same', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    await rm(receiver, { recursive: true });
    await writeFile(receiver, 'no folder');
    const { exitCode, out } = await agenthub(cwd, ['run', TASK, '--on-ask', 'wait', '--json']);
    expect(exitCode).toBe(3);
    const id = JSON.parse(out).runId as string;
    expect((await agenthub(cwd, ['resume', id])).err).toBe(refusal(id, cwd));
    const named = ['resume', id, '--store', databaseOf(cwd), '--grant', 'overwrite'];
    expect((await agenthub(cwd, named)).exitCode).toBe(0);
  });

  it('is made anew beside a journal that was left there, which brings nothing', async () => {
    const { cwd, id } = await brought();
    const other = await temporaryFolder();
    await mkdir(join(other, '.agenthub'));
    for (const end of ['-wal', '-journal']) await cp(databaseOf(cwd), `${databaseOf(other)}${end}`);
    await agenthub(other, ['run', 'how do I get an invoice?']);
    const { err } = await agenthub(other, ['show', id]);
    expect(err).toContain(id);
    expect(err).toContain('There is no run');
  });
});

describe('the page', () => {
  /** Tells a run on the page of `agenthub inspect` to go on. */
  async function goOn(cwd: string, id: string) {
    const person = fakeIo({ cwd, env: { ...as(receiver), LANG: 'en_US.UTF-8' } });
    const served = cli(['inspect', id], person.io);
    await person.said('Ctrl-C');
    const url = new URL(/http:\S+/u.exec(person.out())?.[0] ?? '');
    const token = new URLSearchParams(url.hash.slice(1)).get('token');
    const response = await fetch(`${url.origin}/api/runs/${id}/resume`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        origin: url.origin,
        'content-type': 'application/json',
      },
      body: '{}',
    });
    const text = await response.text();
    person.interrupt();
    expect(await served).toBe(0);
    return text;
  }

  it('goes on with nothing that was approved in a database that came along', async () => {
    const { cwd, id } = await brought();
    expect(JSON.parse(await goOn(cwd, id))).toMatchObject({ error: { code: 'untrusted' } });
    expect(await widthIn(cwd)).toBe(64);
  });

  it('is served under a file that nobody trusted, and goes on with nothing', async () => {
    const { cwd, id } = await brought();
    await agenthub(cwd, ['trust', '--yes']);
    await writeFile(
      join(cwd, 'agenthub.config.json'),
      JSON.stringify({ instructions: 'Be brief.' }),
    );
    expect(JSON.parse(await goOn(cwd, id))).toMatchObject({ error: { code: 'untrusted' } });
    expect(await widthIn(cwd)).toBe(64);
  });
});
