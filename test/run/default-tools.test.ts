import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDefaultTools } from '../../src/run/default-tools.ts';
import type { Tool } from '../../src/tools/tool.types.ts';
import { plain } from '../tools/pictures.ts';
import { inTemporaryFolder, runTool } from '../tools/tool-context.ts';

function byName(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`there is no ${name}`);
  return tool;
}

describe('createDefaultTools', () => {
  it('joins the four tools to one guard of files', async () => {
    await inTemporaryFolder(async (root) => {
      await mkdir(join(root, 'knowledge/private'), { recursive: true });
      await writeFile(join(root, 'knowledge/a.md'), '## 退货\n七天\n');
      await plain(64, 40).png().toFile(join(root, 'knowledge/private/p.png'));
      await plain(64, 40).png().toFile(join(root, 'a.png'));
      const tools = createDefaultTools({
        workingFolder: root,
        knowledgeFolder: join(root, 'knowledge'),
      });
      expect(tools.map(({ name }) => name)).toEqual([
        'echo',
        'knowledge_search',
        'image_scaling',
        'todo_write',
      ]);
      const found = await runTool(byName(tools, 'knowledge_search'), { keywords: '七天' });
      expect(found.content).toBe('来源：a.md\n## 退货\n七天');
      const scaling = byName(tools, 'image_scaling');
      const scaled = await runTool(scaling, { input: 'a.png', output: 'b.png', width: 20 });
      expect(scaled.details).toMatchObject({ width: 20, height: 13 });
      const context = { signal: new AbortController().signal };
      const secret = { input: 'knowledge/private/p.png', output: 'c.png', width: 20 };
      expect(await scaling.inspectFacts(secret, context)).toEqual({ touchesPrivate: true });
    });
  });

  it('gives a search the time that is set, one minute by default', async () => {
    await inTemporaryFolder(async (root) => {
      const timeoutOf = (given: { knowledgeTimeout?: number }) =>
        byName(
          createDefaultTools({ workingFolder: root, knowledgeFolder: root, ...given }),
          'knowledge_search',
        ).timeout;
      expect(timeoutOf({})).toBe(60_000);
      expect(timeoutOf({ knowledgeTimeout: 300_000 })).toBe(300_000);
      expect(() => timeoutOf({ knowledgeTimeout: 0 })).toThrowError(/timeout must be whole/u);
    });
  });

  it('refuses a service origin that is none', async () => {
    await inTemporaryFolder(async (root) => {
      const start = () =>
        createDefaultTools({
          workingFolder: root,
          knowledgeFolder: root,
          allowedServices: ['https://img.example.com/path'],
        });
      expect(start).toThrowError(/is not an origin/u);
    });
  });
});
