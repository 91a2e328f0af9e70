import * as nodeFiles from 'node:fs/promises';
import {
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../machines/vocabulary/json.ts';
import { createFileGuard } from '../../src/facts/file-guard.ts';
import type { FileSystem } from '../../src/facts/file-system.ts';
import { type WriteOptions, writeApproved } from '../../src/facts/file-write.ts';
import { inTemporaryFolder } from '../tools/tool-context.ts';

const { signal } = new AbortController();
const NEW = new TextEncoder().encode('new');

interface Place {
  readonly root: string;
  readonly folder: string;
  readonly identify: (name: string) => Promise<JsonObject>;
  readonly write: (
    identity: JsonObject,
    overwrite: boolean,
    more?: Partial<WriteOptions>,
  ) => Promise<void>;
}

async function inFolder(work: (place: Place) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (root) => {
    const folder = join(root, 'out');
    await mkdir(folder);
    await mkdir(join(root, 'evil'));
    await writeFile(join(folder, 'old.txt'), 'old');
    const guard = createFileGuard({ workingFolder: folder, allowed: [folder], private: [] });
    await work({
      root,
      folder,
      async identify(name) {
        const { identity } = await guard.inspect(name, 'write');
        if (identity === null) throw new Error(`${name} has no identity`);
        return identity;
      },
      write: (identity, overwrite, more) =>
        writeApproved(identity, NEW, { signal, overwrite, ...more }),
    });
  });
}

/** Fails the write of the temporary file half way, as a full disk does. */
function failingFiles(code: string, before?: () => Promise<void>): FileSystem {
  return {
    ...nodeFiles,
    async open(path, flags, mode) {
      const handle = await nodeFiles.open(path, flags, mode);
      if (!String(path).endsWith('.tmp')) return handle;
      return new Proxy(handle, {
        get(target, property) {
          const member = Reflect.get(target, property);
          if (property !== 'writeFile') {
            return typeof member === 'function' ? member.bind(target) : member;
          }
          return async () => {
            await target.write('ne');
            await before?.();
            throw Object.assign(new Error(code), { code });
          };
        },
      });
    },
  };
}

/** Makes a change once the temporary file is whole. */
function afterTemporary(change: () => Promise<void>): FileSystem {
  return {
    ...nodeFiles,
    async open(path, flags, mode) {
      const handle = await nodeFiles.open(path, flags, mode);
      if (!String(path).endsWith('.tmp')) return handle;
      const close = handle.close.bind(handle);
      handle.close = async () => {
        await close();
        await change();
      };
      return handle;
    },
  };
}

describe('writing what was approved', () => {
  it('makes a new file, and leaves no other behind', async () => {
    await inFolder(async ({ folder, identify, write }) => {
      await write(await identify('new.txt'), false);
      expect(await readFile(join(folder, 'new.txt'), 'utf8')).toBe('new');
      expect((await lstat(join(folder, 'new.txt'))).nlink).toBe(1);
      expect((await readdir(folder)).sort()).toEqual(['new.txt', 'old.txt']);
    });
  });

  it('replaces an existing file when that was granted', async () => {
    await inFolder(async ({ folder, identify, write }) => {
      await write(await identify('old.txt'), true);
      expect(await readFile(join(folder, 'old.txt'), 'utf8')).toBe('new');
      expect(await readdir(folder)).toEqual(['old.txt']);
    });
  });

  it('never replaces without a grant, even what appears meanwhile', async () => {
    await inFolder(async ({ folder, identify, write }) => {
      const identity = await identify('new.txt');
      await writeFile(join(folder, 'new.txt'), 'other');
      await expect(write(identity, false)).rejects.toMatchObject({ code: 'output_exists' });
      expect(await readFile(join(folder, 'new.txt'), 'utf8')).toBe('other');
    });
  });

  it('never replaces what appears at the last moment', async () => {
    await inFolder(async ({ folder, identify, write }) => {
      const identity = await identify('new.txt');
      const files: FileSystem = {
        ...nodeFiles,
        async link(from, to) {
          await writeFile(join(folder, 'new.txt'), 'other');
          await nodeFiles.link(from, to);
        },
      };
      await expect(write(identity, false, { files })).rejects.toMatchObject({
        code: 'output_exists',
      });
      expect(await readdir(folder)).toEqual(['new.txt', 'old.txt']);
      expect(await readFile(join(folder, 'new.txt'), 'utf8')).toBe('other');
    });
  });

  it('lets one of two approvals for the same output win', async () => {
    await inFolder(async ({ folder, identify, write }) => {
      const identity = await identify('new.txt');
      const results = await Promise.allSettled([write(identity, false), write(identity, false)]);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(results.find((result) => result.status === 'rejected')).toMatchObject({
        reason: { code: 'output_exists' },
      });
      expect((await readdir(folder)).sort()).toEqual(['new.txt', 'old.txt']);
    });
  });

  it('does not follow a link planted at the output', async () => {
    await inFolder(async ({ root, folder, identify, write }) => {
      const missing = await identify('new.txt');
      await symlink('../evil/x.txt', join(folder, 'new.txt'));
      await expect(write(missing, false)).rejects.toMatchObject({ code: 'output_exists' });
      const existing = await identify('old.txt');
      await rm(join(folder, 'old.txt'));
      await symlink('../evil/x.txt', join(folder, 'old.txt'));
      await expect(write(existing, true)).rejects.toMatchObject({ code: 'file_changed' });
      expect(await readdir(join(root, 'evil'))).toEqual([]);
    });
  });

  it('replaces a link planted between the last look and the move, and does not follow it', async () => {
    await inFolder(async ({ root, folder, identify, write }) => {
      const identity = await identify('old.txt');
      const files: FileSystem = {
        ...nodeFiles,
        async rename(from, to) {
          await rm(join(folder, 'old.txt'));
          await symlink('../evil/x.txt', join(folder, 'old.txt'));
          await nodeFiles.rename(from, to);
        },
      };
      await write(identity, true, { files });
      expect((await lstat(join(folder, 'old.txt'))).isFile()).toBe(true);
      expect(await readdir(join(root, 'evil'))).toEqual([]);
    });
  });

  it.each(['changed', 'hard-linked', 'gone'])(
    'refuses an output that is %s by now',
    async (how) => {
      await inFolder(async ({ root, folder, identify, write }) => {
        const identity = await identify('old.txt');
        if (how === 'changed') await writeFile(join(folder, 'old.txt'), 'newer');
        if (how === 'hard-linked') await link(join(folder, 'old.txt'), join(root, 'name.txt'));
        if (how === 'gone') await rm(join(folder, 'old.txt'));
        await expect(write(identity, true)).rejects.toMatchObject({ code: 'file_changed' });
      });
    },
  );

  it('refuses a folder that was swapped before', async () => {
    await inFolder(async ({ root, folder, identify, write }) => {
      const identity = await identify('new.txt');
      await rename(folder, join(root, 'moved'));
      await symlink('evil', folder);
      await expect(write(identity, false)).rejects.toMatchObject({ code: 'file_changed' });
      await rm(folder);
      await mkdir(folder);
      await expect(write(identity, false)).rejects.toMatchObject({ code: 'file_changed' });
      expect(await readdir(join(root, 'evil'))).toEqual([]);
    });
  });

  it.skipIf(process.platform !== 'linux')(
    'writes nothing when its folder is swapped in the middle',
    async () => {
      await inFolder(async ({ root, folder, identify, write }) => {
        const identity = await identify('new.txt');
        let swapped = false;
        const files: FileSystem = {
          ...nodeFiles,
          async open(path, flags, mode) {
            if (String(path).endsWith('.tmp')) {
              await rename(folder, join(root, 'moved'));
              await symlink('evil', folder);
              swapped = true;
            }
            return nodeFiles.open(path, flags, mode);
          },
        };
        await expect(write(identity, false, { files })).rejects.toMatchObject({
          code: 'file_changed',
        });
        expect(swapped).toBe(true);
        expect(await readdir(join(root, 'evil'))).toEqual([]);
        expect(await readdir(join(root, 'moved'))).toEqual(['old.txt']);
      });
    },
  );

  it.each(['replaced', 'hard-linked', 'gone'])(
    'keeps what stands there when it is %s while the new content is written',
    async (how) => {
      await inFolder(async ({ root, folder, identify, write }) => {
        const identity = await identify('old.txt');
        const old = join(folder, 'old.txt');
        const change = async () => {
          if (how === 'hard-linked') return link(old, join(root, 'name.txt'));
          await rm(old);
          if (how === 'replaced') await writeFile(old, 'newer');
        };
        const files = afterTemporary(change);
        await expect(write(identity, true, { files })).rejects.toMatchObject({
          code: 'file_changed',
        });
        const left = how === 'gone' ? [] : ['old.txt'];
        expect(await readdir(folder)).toEqual(left);
        if (how === 'replaced') expect(await readFile(old, 'utf8')).toBe('newer');
      });
    },
  );

  it('never writes through what somebody put in the place of its temporary file', async () => {
    await inFolder(async ({ root, folder, identify, write }) => {
      const victim = join(root, 'evil/victim.txt');
      await writeFile(victim, 'untouched');
      for (const plant of [symlink, link, copyFile]) {
        let planted = '';
        const files: FileSystem = {
          ...nodeFiles,
          async open(path, flags, mode) {
            if (String(path).endsWith('.tmp')) {
              planted = join(folder, basename(String(path)));
              await plant(victim, planted);
            }
            return nodeFiles.open(path, flags, mode);
          },
        };
        await expect(write(await identify('new.txt'), false, { files })).rejects.toMatchObject({
          code: 'output_exists',
        });
        expect(await readFile(victim, 'utf8')).toBe('untouched');
        await rm(planted, { force: true });
        expect(await readdir(folder)).toEqual(['old.txt']);
      }
    });
  });

  it('names its temporary file as nobody can guess', async () => {
    await inFolder(async ({ identify, write }) => {
      const names = new Set<string>();
      const files: FileSystem = {
        ...nodeFiles,
        async open(path, flags, mode) {
          if (String(path).endsWith('.tmp')) names.add(basename(String(path)));
          return nodeFiles.open(path, flags, mode);
        },
      };
      for (let count = 0; count < 20; count += 1)
        await write(await identify('old.txt'), true, { files });
      const digits = [...names].map((name) => /^\.agenthub-([0-9a-f]{16})\.tmp$/u.exec(name)?.[1]);
      expect(digits).not.toContain(undefined);
      // Every digit changes from one name to another: no counter, no clock.
      const places = Array.from(
        { length: 16 },
        (_, at) => new Set(digits.map((name) => name?.[at])),
      );
      expect(Math.min(...places.map((values) => values.size))).toBeGreaterThan(3);
    });
  });

  it('keeps the old file and leaves nothing behind when the disk is full', async () => {
    await inFolder(async ({ folder, identify, write }) => {
      const files = failingFiles('ENOSPC');
      for (const name of ['old.txt', 'new.txt']) {
        const attempt = write(await identify(name), name === 'old.txt', { files });
        await expect(attempt).rejects.toMatchObject({
          code: 'write_failed',
          message: expect.stringContaining('the disk is full'),
        });
      }
      expect(await readdir(folder)).toEqual(['old.txt']);
      expect(await readFile(join(folder, 'old.txt'), 'utf8')).toBe('old');
    });
  });

  it('leaves nothing behind when it is cancelled in the middle', async () => {
    await inFolder(async ({ folder, identify, write }) => {
      const controller = new AbortController();
      const reason = new Error('cancelled by a person');
      const files = failingFiles('EIO', async () => controller.abort(reason));
      const attempt = write(await identify('old.txt'), true, { files, signal: controller.signal });
      await expect(attempt).rejects.toBe(reason);
      expect(await readdir(folder)).toEqual(['old.txt']);
      expect(await readFile(join(folder, 'old.txt'), 'utf8')).toBe('old');
    });
  });
});
