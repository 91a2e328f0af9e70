import { execFileSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createAgent } from '../../src/run/create-agent.ts';
import { foldLog } from '../../src/run/fold.ts';
import { storeError } from '../../src/run/store/sqlite-errors.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import { payingAgent } from './paying-agent.ts';
import { goesOn, opening, storeFolder, storeRuns } from './store-folder.ts';

const file = storeFolder();
let mounted: string[] = [];
afterEach(() => {
  for (const place of mounted) execFileSync('umount', ['-l', place]);
  mounted = [];
});

/** A small file system of its own, where this machine lets us have one. */
function mount(size: string): string {
  const place = file('disk');
  mkdirSync(place);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', place], { stdio: 'ignore' });
  mounted.push(place);
  return place;
}

const canMount = (() => {
  const place = mkdtempSync(join(tmpdir(), 'agenthub-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', place], { stdio: 'ignore' });
    execFileSync('umount', [place]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
})();

/** A run that waits for a person, with what `unplug` does before the person says yes. */
async function unplugged(path: string, unplug: () => void) {
  const store = sqliteStore({ path });
  const { options, effects } = payingAgent(store);
  const run = createAgent(options).start('pay both', { runId: 'run' });
  for await (const event of run) {
    if (event.type !== 'permission.requested') continue;
    await run.saved();
    unplug();
    for (const question of event.questions) run.approve(question);
    await expect(run.saved()).rejects.toThrow();
  }
  const outcome = await run.outcome;
  await store.close().catch(() => {});
  return { outcome, effects };
}

describe('pulled away while it is in use: nothing takes effect that is not stored', () => {
  it.each<[string, string, () => void, () => void]>([
    [
      'the file is removed',
      'was removed',
      () => renameSync(file(), file('aside.db')),
      () => renameSync(file('aside.db'), file()),
    ],
    [
      'the file is replaced',
      'was replaced',
      () => {
        renameSync(file(), file('aside.db'));
        copyFileSync(file('aside.db'), file());
      },
      () => renameSync(file('aside.db'), file()),
    ],
    [
      'its journal is removed',
      'was removed',
      () => renameSync(file('runs.db-wal'), file('aside')),
      () => renameSync(file('aside'), file('runs.db-wal')),
    ],
  ])('%s', async (_, words, unplug, putBack) => {
    const { outcome, effects } = await unplugged(file(), unplug);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'store_unavailable' } });
    expect(outcome.status === 'failed' && outcome.error.message).toContain(words);
    expect(outcome.status === 'failed' && outcome.error.message).toContain('Put the file back');
    expect(effects).toEqual([]);
    putBack();
    await goesOn(file());
  });

  it.runIf(canMount)('the disk is read-only (a bind mount)', async () => {
    await storeRuns(file(join('rw', 'runs.db')), ['run']);
    mkdirSync(file('ro'));
    execFileSync('mount', ['--bind', file('rw'), file('ro')]);
    mounted.push(file('ro'));
    const path = join(file('ro'), 'runs.db');
    const remount = (how: string) =>
      execFileSync('mount', ['-o', `remount,bind,${how}`, file('ro')]);

    remount('ro');
    const before = readFileSync(path);
    const store = sqliteStore({ path });
    const { options, effects } = payingAgent(store);
    // Looking is possible, and nothing else.
    expect(await store.list()).toMatchObject([{ runId: 'run', status: 'waiting' }]);
    expect(foldLog(await store.read('run')).value).toEqual({ awaitPermission: 'asking' });
    const refused = { code: 'store_readonly', message: expect.stringContaining('permission') };
    await expect(createAgent(options).restore('run')).rejects.toMatchObject(refused);
    await expect(store.post('run', { type: 'run.cancel', by: 'ada', at: 1 })).rejects.toMatchObject(
      refused,
    );
    expect(await createAgent(options).start('pay both').outcome).toMatchObject({
      status: 'failed',
      error: refused,
    });
    await store.close().catch(() => {});
    expect(effects).toEqual([]);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(opening(join(file('ro'), 'new.db'))).toMatchObject({ code: 'store_unavailable' });
    await goesOn(file(join('rw', 'runs.db')));
  });

  it.runIf(canMount)('the disk is full (a tmpfs of 256 kB)', async () => {
    const place = mount('256k');
    const filler = join(place, 'filler');
    const { outcome, effects } = await unplugged(join(place, 'runs.db'), () => {
      const file = openSync(filler, 'w');
      // As much as there is room for, to the last byte.
      for (const size of [4096, 1])
        try {
          for (;;) writeSync(file, Buffer.alloc(size));
        } catch {
          // Full.
        }
      closeSync(file);
    });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'store_full' } });
    expect(outcome.status === 'failed' && outcome.error.message).toContain('Make room');
    expect(effects).toEqual([]);
    rmSync(filler);
    await goesOn(join(place, 'runs.db'));
  });

  it.each([
    ['SQLITE_FULL', 'database or disk is full', 'store_full', 'Make room'],
    ['SQLITE_READONLY', 'attempt to write a readonly database', 'store_readonly', 'permission'],
    ['SQLITE_READONLY_DBMOVED', 'readonly', 'store_readonly', 'permission'],
    ['SQLITE_BUSY', 'database is locked', 'store_busy', 'Try again'],
    ['SQLITE_CORRUPT', 'database disk image is malformed', 'store_corrupt', '.recover'],
    ['SQLITE_IOERR_SHORT_READ', 'disk I/O error', 'store_corrupt', '.recover'],
    ['SQLITE_IOERR_WRITE', 'disk I/O error', 'store_failed', 'Check the disk'],
    ['SQLITE_NOTADB', 'file is not a database', 'store_foreign', 'name another file'],
    ['SQLITE_CANTOPEN', 'unable to open database file', 'store_unavailable', 'check the path'],
  ])(
    '%s is told as what it is, with what is safe and what to do',
    (code, message, ours, advice) => {
      const error = storeError(Object.assign(new Error(message), { code }), '/runs.db');
      expect(error.code).toBe(ours);
      expect(error.message).toContain('/runs.db');
      expect(error.message).toContain(advice);
      expect(error.message).toMatch(/not (touched|changed)|[Nn]othing (further )?was stored/u);
    },
  );
});
