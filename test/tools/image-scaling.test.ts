import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Facts } from '../../machines/permission/evaluate.ts';
import { createFileGuard, type FileGuard } from '../../src/facts/file-guard.ts';
import { createImageScaling } from '../../src/tools/image-scaling/image-scaling.ts';
import type { ImageScalingInput } from '../../src/tools/image-scaling/image-scaling.types.ts';
import { validateInput } from '../../src/tools/validate-input.ts';
import { noise, plain } from './pictures.ts';
import { createToolContext, harmlessFacts, inTemporaryFolder, runTool } from './tool-context.ts';

const { signal } = new AbortController();

interface Place {
  readonly root: string;
  readonly folder: string;
  readonly files: FileGuard;
}

async function inFolder(work: (place: Place) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (root) => {
    const folder = join(root, 'pictures');
    await mkdir(join(folder, 'private'), { recursive: true });
    await mkdir(join(root, 'other'));
    await plain(64, 40).png().toFile(join(folder, 'a.png'));
    await plain(64, 40).png().toFile(join(folder, 'private/p.png'));
    await plain(64, 40).png().toFile(join(root, 'other/o.png'));
    const files = createFileGuard({
      workingFolder: folder,
      allowed: [folder],
      private: ['private'],
    });
    await work({ root, folder, files });
  });
}

const factsOf = (files: FileGuard, input: ImageScalingInput) =>
  createImageScaling({ files }).inspectFacts(input, { signal });

describe('arguments of image_scaling', () => {
  const tool = createImageScaling({ files: {} as FileGuard });
  const base = { input: 'a.png', output: 'b.webp', width: 20 };
  const isValid = async (change: object) =>
    (await validateInput(tool, { ...base, ...change }, 'en')).ok;

  it('takes whole positive sides up to 16384, and any fit and format it knows', async () => {
    expect(await isValid({})).toBe(true);
    expect(await isValid({ width: 16_384, height: 1, fit: 'cover', format: 'webp' })).toBe(true);
    expect(await isValid({ width: undefined, height: 20 })).toBe(true);
    expect(await isValid({ output: 'B.WEBP' })).toBe(true);
  });

  it.each([
    ['no side', { width: undefined }],
    ['a null side', { width: null }],
    ['zero', { width: 0 }],
    ['a negative side', { width: -1 }],
    ['a fraction', { width: 10.5 }],
    ['NaN', { width: Number.NaN }],
    ['Infinity', { width: Number.POSITIVE_INFINITY }],
    ['a number as text', { width: '100' }],
    ['a side above the limit', { width: 16_385 }],
    ['an unknown fit', { fit: 'stretch' }],
    ['an unknown format', { format: 'tiff', output: 'b.tiff' }],
    ['an unknown extension', { output: 'b.xyz' }],
    ['no extension', { output: 'b' }],
    ['format and extension that disagree', { format: 'png' }],
    ['an empty path', { input: ' ' }],
    ['NUL in a path', { output: 'b.png\0.webp' }],
    ['an unknown key', { quality: 80 }],
    ['a service', { service: 'https://evil.test' }],
  ])('refuses %s', async (_, change) => {
    expect(await isValid(change)).toBe(false);
  });
});

describe('facts of image_scaling', () => {
  it('says what a call touches, with the identity of both files', async () => {
    await inFolder(async ({ folder, files }) => {
      const facts = await factsOf(files, { input: 'a.png', output: 'b.webp', width: 20 });
      expect(facts).toMatchObject({
        outsideAllowedArea: false,
        serviceAllowed: true,
        outputExists: false,
        identity: {
          input: { path: join(folder, 'a.png') },
          output: { path: join(folder, 'b.webp'), existing: null },
          service: null,
        },
      });
      expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
    });
  });

  it('sees an output that exists and a target outside, on either side', async () => {
    await inFolder(async ({ folder, files }) => {
      await writeFile(join(folder, 'b.png'), 'old');
      const of = (input: string, output: string) => factsOf(files, { input, output, width: 20 });
      expect(await of('a.png', 'b.png')).toMatchObject({ outputExists: true });
      expect(await of('../other/o.png', 'c.png')).toMatchObject({ outsideAllowedArea: true });
      expect(await of('a.png', '../other/n.png')).toMatchObject({ outsideAllowedArea: true });
      expect(await of('a.png', '../other/o.png')).toMatchObject({
        outsideAllowedArea: true,
        outputExists: true,
      });
    });
  });

  it.each([
    ['private/p.png', 'b.png'],
    ['a.png', 'private/p.png'],
    ['private/none.png', 'none/b.png'],
    ['none.png', 'private/new.png'],
  ])('of %s to %s says only that it is private', async (input, output) => {
    await inFolder(async ({ files }) => {
      expect(await factsOf(files, { input, output, width: 20 })).toEqual({ touchesPrivate: true });
    });
  });

  it.each([
    ['none.png', 'b.png', 'not_found'],
    ['.', 'b.png', 'not_a_file'],
    ['/dev/zero', 'b.png', 'not_a_file'],
    ['a.png', 'none/b.png', 'invalid_path'],
    ['a.png', '/dev/full', 'not_a_file'],
    ['a.png', '.', 'not_a_file'],
    ['a.png', 'a.png', 'same_file'],
    ['a.png', './private/../a.png', 'same_file'],
    ['a.png', 'link.png', 'same_file'],
    ['a.png', 'dangling.png', 'invalid_path'],
  ])('of %s to %s cannot be had: %s', async (input, output, code) => {
    await inFolder(async ({ folder, files }) => {
      await symlink('a.png', join(folder, 'link.png'));
      await symlink('../other/new.png', join(folder, 'dangling.png'));
      await expect(factsOf(files, { input, output, width: 20 })).rejects.toMatchObject({ code });
    });
  });
});

describe('image_scaling', () => {
  it('writes the picture and says so in the model’s language', async () => {
    await inFolder(async ({ folder, files }) => {
      const tool = createImageScaling({ files });
      const input = { input: 'a.png', output: 'b.webp', width: 20 };
      const { content, details } = await runTool(tool, input);
      const { width, height, format } = await sharp(join(folder, 'b.webp')).metadata();
      expect([width, height, format]).toEqual([20, 13, 'webp']);
      expect(content).toMatch(
        /^已写入 b\.webp：20×13 webp，\d+ 字节（原图 a\.png：64×40 png）。$/u,
      );
      expect(details).toMatchObject({
        output: 'b.webp',
        width: 20,
        height: 13,
        frames: 1,
        notes: [],
      });
      const again = { ...input, output: 'c.webp', width: 640 };
      expect((await runTool(tool, again, { locale: 'en' })).content).toMatch(
        /^Wrote c\.webp: 256×160 webp, .*\nNote: pictures are enlarged at most 4 times/u,
      );
    });
  });

  it('replaces an existing output only when the decision was made on that it exists', async () => {
    await inFolder(async ({ folder, files }) => {
      const tool = createImageScaling({ files });
      const input = { input: 'a.png', output: 'b.png', width: 20 };
      const facts = { ...harmlessFacts(tool.name), ...(await factsOf(files, input)) } as Facts;
      await writeFile(join(folder, 'b.png'), 'appeared');
      const execute = () => tool.execute(input, createToolContext({ facts }));
      await expect(execute()).rejects.toMatchObject({ code: 'output_exists' });
      expect(await readFile(join(folder, 'b.png'), 'utf8')).toBe('appeared');
      await runTool(tool, input);
      expect((await sharp(join(folder, 'b.png')).metadata()).width).toBe(20);
    });
  });

  it('reads nothing but the file that was approved', async () => {
    await inFolder(async ({ folder, files }) => {
      const tool = createImageScaling({ files });
      const input = { input: 'a.png', output: 'b.png', width: 20 };
      const facts = { ...harmlessFacts(tool.name), ...(await factsOf(files, input)) } as Facts;
      await rm(join(folder, 'a.png'));
      await symlink('private/p.png', join(folder, 'a.png'));
      await expect(tool.execute(input, createToolContext({ facts }))).rejects.toMatchObject({
        code: 'file_changed',
      });
      expect(await readdir(folder)).not.toContain('b.png');
    });
  });

  it('touches nothing without the identities of its facts', async () => {
    await inFolder(async ({ folder, files }) => {
      const input = { input: 'private/p.png', output: 'b.png', width: 20 };
      const tool = createImageScaling({ files });
      await expect(runTool(tool, input)).rejects.toMatchObject({ code: 'identity_invalid' });
      expect(await readdir(folder)).not.toContain('b.png');
    });
  });

  it('keeps the old output, and makes no new one, when the picture is damaged', async () => {
    await inFolder(async ({ folder, files }) => {
      const jpeg = await noise(300, 300).jpeg().toBuffer();
      await writeFile(join(folder, 'cut.jpg'), jpeg.subarray(0, jpeg.length * 0.7));
      const old = await readFile(join(folder, 'a.png'));
      const before = await readdir(folder);
      for (const output of ['a.png', 'new.png']) {
        const attempt = runTool(createImageScaling({ files }), {
          input: 'cut.jpg',
          output,
          width: 200,
        });
        await expect(attempt).rejects.toMatchObject({ code: 'damaged' });
      }
      expect(await readdir(folder)).toEqual(before);
      expect(await readFile(join(folder, 'a.png'))).toEqual(old);
    });
  });

  it('leaves nothing behind when it is cancelled while it works', async () => {
    await inFolder(async ({ folder, files }) => {
      await noise(900, 900).png().toFile(join(folder, 'large.png'));
      const controller = new AbortController();
      const reason = new Error('cancelled');
      const tool = createImageScaling({
        files: {
          ...files,
          async read(identity, options) {
            const content = await files.read(identity, options);
            setImmediate(() => controller.abort(reason));
            return content;
          },
        },
      });
      const before = await readdir(folder);
      const input = { input: 'large.png', output: 'b.avif', width: 900 };
      await expect(runTool(tool, input, { signal: controller.signal })).rejects.toBe(reason);
      expect(await readdir(folder)).toEqual(before);
    });
  });
});
