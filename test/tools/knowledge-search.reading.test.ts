import { link, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLibraryReader } from '../../src/tools/knowledge-search/library.ts';
import {
  createToolContext,
  filesIn,
  inTemporaryFolder,
  knowledgeIn,
  runTool,
} from './tool-context.ts';

const { signal } = new AbortController();

async function searchIn(root: string, keywords: string) {
  return runTool(knowledgeIn(root), { keywords });
}

describe('what is read', () => {
  it('is never private, whatever the folder’s case and the links to it', async () => {
    await inTemporaryFolder(async (root) => {
      for (const folder of ['private', 'sub/Private', 'sub/ＰＲＩＶＡＴＥ', 'private.']) {
        await mkdir(join(root, folder), { recursive: true });
        await writeFile(join(root, folder, 'secret.md'), '## 机密\n金丝雀\n');
      }
      await symlink('private/secret.md', join(root, 'link.md'));
      await symlink('private', join(root, 'folder'));
      await symlink('../private', join(root, 'sub/folder'));
      await writeFile(join(root, 'a.md'), '## 公开\n文\n');
      const { content, details } = await searchIn(root, '金丝雀 机密 private');
      expect(details).toEqual({ kind: 'nothing', hits: [], skipped: [] });
      expect(content).not.toContain('secret.md');
    });
  });

  it('does not leave the root by a link', async () => {
    await inTemporaryFolder(async (place) => {
      await mkdir(join(place, 'root'));
      await mkdir(join(place, 'other'));
      await writeFile(join(place, 'other/o.md'), '## 外面\n金丝雀\n');
      await symlink('../other', join(place, 'root/other'));
      await symlink('../other/o.md', join(place, 'root/o.md'));
      expect((await searchIn(join(place, 'root'), '金丝雀')).details?.kind).toBe('nothing');
    });
  });

  it('names what it skips: not UTF-8, too large, with further names', async () => {
    await inTemporaryFolder(async (root) => {
      await writeFile(
        join(root, 'gbk.md'),
        Buffer.from([0x23, 0x23, 0x20, 0xcd, 0xcb, 0xbb, 0xf5]),
      );
      await writeFile(join(root, 'binary.md'), '## a\0b\n');
      await writeFile(join(root, 'large.md'), `## 退货\n${'x'.repeat(512 * 1024)}`);
      await writeFile(join(root, 'twice.md'), '## 退货\n');
      await link(join(root, 'twice.md'), join(root, 'twice.txt'));
      await writeFile(join(root, 'good.md'), '## 退货\n七天\n');
      const { content, details } = await searchIn(root, '退货');
      expect(details?.hits).toEqual([{ file: 'good.md', title: '退货', line: 1 }]);
      expect(details?.skipped).toEqual([
        { file: 'binary.md', reason: 'not_utf8' },
        { file: 'gbk.md', reason: 'not_utf8' },
        { file: 'large.md', reason: 'too_large' },
        { file: 'twice.md', reason: 'hard_link' },
      ]);
      expect(content).toContain('（跳过了 gbk.md：不是 UTF-8 文本）');
    });
  });

  it('is not read again while nothing changed, and is when something did', async () => {
    await inTemporaryFolder(async (root) => {
      await writeFile(join(root, 'a.md'), '## 甲\n旧文\n');
      await writeFile(join(root, 'b.md'), '## 乙\n文\n');
      const reader = createLibraryReader(filesIn(root));
      const first = await reader.read(signal);
      expect(await reader.read(signal)).toBe(first);
      const untouched = first.index.entries.find(({ entry }) => entry.file === 'b.md')?.entry;

      await utimes(join(root, 'a.md'), 1000, 1000);
      await writeFile(join(root, 'a.md'), '## 甲\n新文\n');
      const second = await reader.read(signal);
      expect(second.index.entries.map(({ entry }) => entry.body)).toEqual(['新文', '文']);
      expect(second.index.entries[1]?.entry).toBe(untouched);

      await rm(join(root, 'b.md'));
      expect((await reader.read(signal)).index.entries).toHaveLength(1);
    });
  });

  it('stops when it is cancelled', async () => {
    const reason = new Error('cancelled');
    const context = createToolContext({ signal: AbortSignal.abort(reason) });
    await inTemporaryFolder(async (root) => {
      const tool = knowledgeIn(root);
      await expect(tool.execute({ keywords: '退货' }, context)).rejects.toBe(reason);
    });
  });

  it('is nothing when the root was replaced or never was', async () => {
    await inTemporaryFolder(async (place) => {
      const root = join(place, 'root');
      const missing = knowledgeIn(root);
      await expect(runTool(missing, { keywords: 'a' })).rejects.toMatchObject({
        code: 'invalid_root',
      });
      await mkdir(root);
      const tool = knowledgeIn(root);
      await runTool(tool, { keywords: 'a' });
      await rename(root, join(place, 'moved'));
      await mkdir(root);
      await expect(runTool(tool, { keywords: 'a' })).rejects.toMatchObject({
        code: 'root_changed',
      });
    });
  });
});
