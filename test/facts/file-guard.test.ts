import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import {
  appendFile,
  link,
  mkdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileGuard, type FileGuard } from '../../src/facts/file-guard.ts';
import type { FileOperation } from '../../src/facts/verdict.ts';
import { inTemporaryFolder } from '../tools/tool-context.ts';

const { signal } = new AbortController();
const READ = { signal, maxBytes: 1000 };

async function inShop(
  work: (place: { root: string; allowed: string; guard: FileGuard }) => Promise<void>,
): Promise<void> {
  await inTemporaryFolder(async (root) => {
    const allowed = join(root, 'allowed');
    await mkdir(join(allowed, 'sub'), { recursive: true });
    await mkdir(join(allowed, 'private'));
    await mkdir(join(root, 'other'));
    await writeFile(join(allowed, 'a.txt'), 'approved');
    await writeFile(join(allowed, 'sub/b.txt'), 'approved');
    await writeFile(join(allowed, 'private/p.txt'), 'secret');
    await writeFile(join(root, 'other/b.txt'), 'approved');
    const guard = createFileGuard({
      workingFolder: allowed,
      allowed: [allowed],
      private: ['private'],
    });
    await work({ root, allowed, guard });
  });
}

async function identify(guard: FileGuard, path: string, operation: FileOperation) {
  const { identity } = await guard.inspect(path, operation);
  if (identity === null) throw new Error(`${path} has no identity`);
  return identity;
}

describe('inspecting', () => {
  it('tells nothing about what a private area holds', async () => {
    await inShop(async ({ guard }) => {
      const existing = await guard.inspect('private/p.txt', 'read');
      expect(await guard.inspect('private/none.txt', 'read')).toEqual(existing);
      expect(await guard.inspect('private/p.txt', 'write')).toEqual(existing);
      expect(existing).toEqual({
        verdict: 'private',
        touchesPrivate: true,
        outsideAllowedArea: false,
        exists: false,
        problem: null,
        identity: null,
      });
    });
  });

  it('recognises a private folder by its inode, wherever it was moved or linked to', async () => {
    await inShop(async ({ root, allowed, guard }) => {
      await rename(join(allowed, 'private'), join(allowed, 'open'));
      expect((await guard.inspect('open', 'read')).verdict).toBe('private');
      expect((await guard.inspect('open/p.txt', 'read')).verdict).toBe('private');
      expect((await guard.inspect('open/none.txt', 'write')).verdict).toBe('private');
      await mkdir(join(allowed, 'vault'));
      await symlink('vault', join(allowed, 'private'));
      expect((await guard.inspect('vault/none.txt', 'read')).verdict).toBe('private');
      expect((await guard.inspect(join(root, 'other/b.txt'), 'read')).verdict).toBe('outside');
    });
  });

  it('names a problem without the real path', async () => {
    await inShop(async ({ root, guard }) => {
      const { problem } = await guard.inspect('none.txt', 'read');
      expect(problem).toEqual({
        code: 'not_found',
        message: '"none.txt": there is no such file',
        details: { zh: '"none.txt"：没有这个文件' },
      });
      expect(JSON.stringify(problem)).not.toContain(root);
    });
  });

  it('reports a problem of a file outside, beside that it is outside', async () => {
    await inShop(async ({ guard }) => {
      const inspected = await guard.inspect('/dev/zero', 'read');
      expect(inspected).toMatchObject({ outsideAllowedArea: true, identity: null });
      expect(inspected.problem?.code).toBe('not_a_file');
    });
  });

  it('refuses a dangling link as an output, inside or outside', async () => {
    await inShop(async ({ allowed, guard }) => {
      await symlink('sub/new.txt', join(allowed, 'inside'));
      await symlink('../other/new.txt', join(allowed, 'outside'));
      for (const path of ['inside', 'outside']) {
        expect((await guard.inspect(path, 'write')).problem?.code).toBe('invalid_path');
      }
    });
  });

  it('gives the real absolute path, so that a changed working directory moves nothing', async () => {
    await inShop(async ({ root, allowed, guard }) => {
      const before = process.cwd();
      try {
        process.chdir(join(root, 'other'));
        expect(await identify(guard, 'sub/b.txt', 'read')).toMatchObject({
          path: join(allowed, 'sub/b.txt'),
        });
      } finally {
        process.chdir(before);
      }
    });
  });

  it('gives another identity after any change, however long the approval lay open', async () => {
    await inShop(async ({ allowed, guard }) => {
      const before = await identify(guard, 'a.txt', 'read');
      expect(await identify(guard, 'a.txt', 'read')).toEqual(before);
      await appendFile(join(allowed, 'a.txt'), '!');
      expect(await identify(guard, 'a.txt', 'read')).not.toEqual(before);
      const missing = await identify(guard, 'new.txt', 'write');
      await writeFile(join(allowed, 'new.txt'), 'x');
      expect(await identify(guard, 'new.txt', 'write')).not.toEqual(missing);
    });
  });

  it('touches nothing once an allowed folder was replaced', async () => {
    await inShop(async ({ root, allowed, guard }) => {
      await rename(allowed, join(root, 'moved'));
      await symlink('other', allowed);
      await expect(guard.inspect('b.txt', 'read')).rejects.toMatchObject({ code: 'area_changed' });
    });
  });

  it('refuses to start with an allowed folder that is none', async () => {
    await inTemporaryFolder(async (root) => {
      const start = (allowed: string) => () =>
        createFileGuard({ workingFolder: root, allowed: [allowed], private: [] });
      await writeFile(join(root, 'file'), '');
      expect(start(join(root, 'none'))).toThrowError(/none" is not a folder that exists/u);
      expect(start(join(root, 'file'))).toThrowError(/file" is not a folder that exists/u);
    });
  });
});

describe('reading what was approved', () => {
  it('gives the content', async () => {
    await inShop(async ({ guard }) => {
      const content = await guard.read(await identify(guard, 'a.txt', 'read'), READ);
      expect(new TextDecoder().decode(content)).toBe('approved');
    });
  });

  const swaps: Readonly<Record<string, (allowed: string) => Promise<void>>> = {
    'a link to the outside': async (allowed) => {
      await rm(join(allowed, 'sub/b.txt'));
      await symlink('../../other/b.txt', join(allowed, 'sub/b.txt'));
    },
    'another folder with a file of that name': async (allowed) => {
      await rename(join(allowed, 'sub'), join(allowed, 'old'));
      await symlink('../other', join(allowed, 'sub'));
    },
    'a hard link to a private file': async (allowed) => {
      await rm(join(allowed, 'sub/b.txt'));
      await link(join(allowed, 'private/p.txt'), join(allowed, 'sub/b.txt'));
    },
    'a further name for the same file': async (allowed) => {
      await link(join(allowed, 'sub/b.txt'), join(allowed, 'c.txt'));
    },
    'a pipe': async (allowed) => {
      await rm(join(allowed, 'sub/b.txt'));
      execFileSync('mkfifo', [join(allowed, 'sub/b.txt')]);
    },
    'other content of the same size, its time set back': async (allowed) => {
      await utimes(join(allowed, 'sub/b.txt'), 1000, 1000);
      await writeFile(join(allowed, 'sub/b.txt'), 'replaced');
      await utimes(join(allowed, 'sub/b.txt'), 1000, 1000);
    },
    'nothing at all': async (allowed) => rm(join(allowed, 'sub/b.txt')),
  };

  it.each(Object.keys(swaps))('refuses %s in its place', async (name) => {
    await inShop(async ({ allowed, guard }) => {
      if (name.includes('set back')) await utimes(join(allowed, 'sub/b.txt'), 1000, 1000);
      const identity = await identify(guard, 'sub/b.txt', 'read');
      await swaps[name]?.(allowed);
      await expect(guard.read(identity, READ)).rejects.toMatchObject({ code: 'file_changed' });
    });
  });

  it('refuses a file above the cap, an aborted signal, and facts that are none', async () => {
    await inShop(async ({ guard }) => {
      const identity = await identify(guard, 'a.txt', 'read');
      const small = { signal, maxBytes: 7 };
      await expect(guard.read(identity, small)).rejects.toMatchObject({ code: 'too_large' });
      const aborted = { ...READ, signal: AbortSignal.abort(new Error('stop')) };
      await expect(guard.read(identity, aborted)).rejects.toThrowError('stop');
      await expect(guard.read({ path: 'a.txt' }, READ)).rejects.toMatchObject({
        code: 'identity_invalid',
      });
    });
  });

  it('refuses a file that changes while it is read', async () => {
    await inShop(async ({ allowed, guard }) => {
      const identity = await identify(guard, 'a.txt', 'read');
      let looks = 0;
      const watched = {
        throwIfAborted() {
          looks += 1;
          if (looks === 2) appendFileSync(join(allowed, 'a.txt'), '!');
        },
      } as AbortSignal;
      await expect(guard.read(identity, { ...READ, signal: watched })).rejects.toMatchObject({
        code: 'file_changed',
      });
      expect(looks).toBe(2);
    });
  });

  it('keeps the file as it was', async () => {
    await inShop(async ({ allowed, guard }) => {
      await guard.read(await identify(guard, 'a.txt', 'read'), READ);
      expect(await readFile(join(allowed, 'a.txt'), 'utf8')).toBe('approved');
    });
  });
});
