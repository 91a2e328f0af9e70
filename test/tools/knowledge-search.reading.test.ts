import { link, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLibraryReader } from '../../src/tools/knowledge-search/library.ts';
import { searchInSteps } from '../../src/tools/knowledge-search/search.ts';
import { inSlices } from '../../src/tools/knowledge-search/slices.ts';
import {
  createToolContext,
  filesIn,
  inTemporaryFolder,
  knowledgeIn,
  runTool,
} from './tool-context.ts';

const { signal } = new AbortController();

function withResolvers() {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

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

  it('keeps what was read when it is aborted: the next goes on from there', async () => {
    await inTemporaryFolder(async (root) => {
      for (const name of ['a', 'b', 'c', 'd'])
        await writeFile(join(root, `${name}.md`), `## ${name}\n词\n`);
      const files = filesIn(root);
      const reads: string[] = [];
      const controller = new AbortController();
      const reason = new Error('too long');
      const reader = createLibraryReader({
        ...files,
        async read(identity, options) {
          reads.push(String(identity.path).slice(-4));
          // What is under way when it is aborted is read to its end.
          if (reads.length === 2) controller.abort(reason);
          expect(options.signal.aborted).toBe(false);
          return files.read(identity, options);
        },
      });
      await expect(reader.read(controller.signal)).rejects.toBe(reason);
      expect(reads).toEqual(['a.md', 'b.md']);
      const { index } = await reader.read(signal);
      expect(index.entries.map(({ title }) => title)).toEqual(['a', 'b', 'c', 'd']);
      expect(reads).toEqual(['a.md', 'b.md', 'c.md', 'd.md']);
    });
  });

  it('is read once for searches at the same time, and one that leaves stops none', async () => {
    await inTemporaryFolder(async (root) => {
      for (const name of ['a', 'b']) await writeFile(join(root, `${name}.md`), `## ${name}\n词\n`);
      const files = filesIn(root);
      const held = withResolvers();
      const started = withResolvers();
      let reads = 0;
      const reader = createLibraryReader({
        ...files,
        async read(identity, options) {
          reads += 1;
          started.resolve();
          await held.promise;
          return files.read(identity, options);
        },
      });
      const controller = new AbortController();
      const reason = new Error('left');
      const first = reader.read(controller.signal);
      const second = reader.read(signal);
      const third = reader.read(signal);
      await started.promise;
      controller.abort(reason);
      await expect(first).rejects.toBe(reason);
      held.resolve();
      expect((await second).index.entries).toHaveLength(2);
      expect((await third).index.entries).toHaveLength(2);
      expect(reads).toBe(2);
    });
  });

  it('lets others have their turn while much is read', async () => {
    await inTemporaryFolder(async (root) => {
      const paragraph = `${'退货 **运费** [政策](a) '.repeat(40)}\n\n`;
      await writeFile(join(root, 'a.md'), `## 甲\n\n${paragraph.repeat(200)}`);
      let turns = 0;
      let isOver = false;
      const turn = () => {
        turns += 1;
        if (!isOver) setImmediate(turn);
      };
      const reader = createLibraryReader(filesIn(root));
      const work = reader.read(signal);
      setImmediate(turn);
      await work;
      isOver = true;
      // Looking up and reading one file takes some turns; parsing it at once would add none.
      expect(turns).toBeGreaterThan(20);
    });
  });

  it('forgets a file that is gone and finds it again, however often', async () => {
    await inTemporaryFolder(async (root) => {
      const reader = createLibraryReader(filesIn(root));
      await writeFile(join(root, 'b.md'), '## 乙\n词\n');
      for (let count = 0; count < 3; count += 1) {
        await writeFile(join(root, 'a.md'), `## 甲\n第${count}次\n`);
        const { index } = await reader.read(signal);
        expect(index.entries.map(({ body }) => body)).toEqual([`第${count}次`, '词']);
        const found = await inSlices(searchInSteps(index, `第${count}次`));
        expect(found.entries.map(({ file }) => file)).toEqual(['a.md']);
        await rm(join(root, 'a.md'));
        expect((await reader.read(signal)).index.entries).toHaveLength(1);
      }
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
