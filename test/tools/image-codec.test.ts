import { Buffer } from 'node:buffer';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  loadSharp,
  planScale,
  readImage,
  type ScaleRequest,
  scaleImage,
} from '../../src/tools/image-scaling/codec.ts';
import { formatOfName, sniffFormat } from '../../src/tools/image-scaling/formats.ts';
import type { ImageFormat } from '../../src/tools/image-scaling/image-scaling.types.ts';
import { mendJpeg } from '../../src/tools/image-scaling/jpeg.ts';
import {
  animatedGif,
  jpegWithExif,
  noise,
  plain,
  pngHeader,
  textBomb,
  withLostData,
  withPngChunk,
  withSecondItem,
  withStrayBytes,
  withWrongScan,
} from './pictures.ts';

const { signal } = new AbortController();

async function scale(content: Uint8Array, request: Partial<ScaleRequest>) {
  const source = await readImage(content);
  const plan = planScale(source, { width: 20, fit: 'inside', format: 'png', ...request });
  const scaled = await scaleImage(source, plan, signal);
  return { scaled, metadata: await sharp(scaled.content, { animated: true }).metadata() };
}

describe('telling formats', () => {
  it.each(['jpeg', 'png', 'webp', 'gif', 'avif'] as const)(
    'knows %s by its content',
    async (format) => {
      const content = await plain(8, 8).toFormat(format).toBuffer();
      expect(sniffFormat(content)).toBe(format);
      expect(sniffFormat(content.subarray(0, 3))).toBe(format === 'jpeg' ? 'jpeg' : null);
    },
  );

  it('knows nothing else', async () => {
    const tiff = await plain(8, 8).tiff().toBuffer();
    const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
    const others = [tiff, heic, Buffer.from('<svg/>'), Buffer.from('%PDF-1.7'), Buffer.alloc(0)];
    expect(others.map((content) => sniffFormat(content))).toEqual([null, null, null, null, null]);
  });

  it('knows a name’s extension in any case, and no other', () => {
    const names = [
      'a.jpg',
      'a.JPEG',
      'a.Png',
      'b.webp',
      'b.gif',
      'b.avif',
      'a.xyz',
      'jpg',
      'a.',
      'a.constructor',
    ];
    expect(names.map(formatOfName)).toEqual([
      'jpeg',
      'jpeg',
      'png',
      'webp',
      'gif',
      'avif',
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('reading pictures', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 'not_an_image', /empty/u],
    ['text', Buffer.from('hello'), 'not_an_image', /not a JPEG/u],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'not_an_image', /not a/u],
    ['a header of 3.6 Gpx', pngHeader(60_000, 60_000), 'too_large', /100000000 pixels/u],
    ['half a header', pngHeader(8, 8).subarray(0, 20), 'damaged', /damaged/u],
  ])('refuses %s', async (_, content, code, message) => {
    await expect(readImage(content)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it('refuses a picture that is cut or overwritten', async () => {
    const jpeg = await noise(200, 200).jpeg().toBuffer();
    const cut = jpeg.subarray(0, jpeg.length / 2);
    await expect(scale(cut, {})).rejects.toMatchObject({ code: 'damaged' });
    const png = Buffer.from(await noise(40, 40).png().toBuffer());
    png[png.length - 20] = (png[png.length - 20] ?? 0) ^ 0xff;
    await expect(scale(png, {})).rejects.toMatchObject({ code: 'damaged' });
  });

  it('reads a whole picture whose header has slips that every viewer overlooks', async () => {
    for (const sequential of [true, false]) {
      const jpeg = await noise(64, 40).jpeg({ progressive: !sequential }).toBuffer();
      const pixels = (await scale(jpeg, { width: 64 })).scaled.content;
      for (const slip of sequential ? [withStrayBytes, withWrongScan] : [withStrayBytes]) {
        expect((await scale(slip(jpeg), { width: 64 })).scaled.content).toEqual(pixels);
        const cut = slip(jpeg).subarray(0, jpeg.length / 2);
        await expect(scale(cut, {})).rejects.toMatchObject({ code: 'damaged' });
        const lost = slip(withLostData(jpeg));
        await expect(scale(lost, {})).rejects.toMatchObject({ code: 'damaged' });
      }
    }
  });

  it('leaves a JPEG that needs no mending as it is, and reads any bytes to their end', async () => {
    const jpeg = await noise(64, 40).jpeg().toBuffer();
    const tail = Buffer.concat([jpeg, Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 1])]);
    for (const content of [jpeg, tail, jpeg.subarray(0, 7), Buffer.from([0xff, 0xd8, 0xff])]) {
      expect(mendJpeg(content)).toBe(content);
    }
  });

  it('blocks the loaders that are not needed, in the library itself', async () => {
    const blocked = await loadSharp();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    await expect(blocked(svg).metadata()).rejects.toThrowError(/unsupported image format/u);
  });

  it('counts all frames against the limit of pixels', async () => {
    const source = await readImage(await animatedGif(64, 64, 40));
    expect(planScale(source, { width: 20, fit: 'inside', format: 'gif' }).frames).toBe(40);
    const many = { ...source, frames: 30_000 };
    expect(() => planScale(many, { width: 20, fit: 'inside', format: 'gif' })).toThrowError(
      /30000 frames of 64×64; at most 100000000 pixels/u,
    );
    expect(planScale(many, { width: 20, fit: 'inside', format: 'png' }).frames).toBe(1);
  });

  it('does not grow by what a picture carries packed or only promises', async () => {
    const bomb = withPngChunk(await plain(8, 8).png().toBuffer(), 'zTXt', textBomb(60_000_000));
    const screen = Buffer.from(
      '474946383961ffffffff80000000000000ffffff2c00000000010001000002024c01003b',
      'hex',
    );
    const before = process.memoryUsage().rss;
    for (const content of [bomb, screen]) {
      await scale(content, {}).catch((error) => expect(error.code).toMatch(/damaged|too_large/u));
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });
});

describe('scaling', () => {
  it.each([
    [1, 20, 13],
    [3, 20, 13],
    [5, 20, 32],
    [6, 20, 32],
    [8, 20, 32],
  ])('turns orientation %i upright and drops the tag', async (orientation, width, height) => {
    const content = await jpegWithExif(64, 40, orientation);
    const { scaled, metadata } = await scale(content, { format: 'jpeg' });
    expect(scaled).toMatchObject({ width, height });
    expect([metadata.width, metadata.height, metadata.orientation]).toEqual([
      width,
      height,
      undefined,
    ]);
  });

  it.each(['jpeg', 'png', 'webp', 'avif'] as const)('leaves no metadata in %s', async (format) => {
    const content = await jpegWithExif(64, 40, 1);
    expect(content.includes('Zhang San')).toBe(true);
    const { scaled, metadata } = await scale(content, { format });
    expect(metadata.exif ?? metadata.xmp ?? metadata.iptc).toBeUndefined();
    expect(Buffer.from(scaled.content).includes('Zhang San')).toBe(false);
  });

  it('does not carry bytes that follow the picture', async () => {
    const content = Buffer.concat([
      await plain(64, 40).jpeg().toBuffer(),
      Buffer.from('TAIL<?php'),
    ]);
    const { scaled } = await scale(content, { format: 'jpeg' });
    expect(Buffer.from(scaled.content).includes('TAIL')).toBe(false);
  });

  it.each([
    ['gif', 5, 15, []],
    ['webp', 5, 15, []],
    ['png', 1, 15, ['first_frame_only']],
    ['jpeg', 1, 15, ['first_frame_only', 'transparency_on_white']],
    ['avif', 1, 15, ['first_frame_only']],
  ] as const)('of an animation to %s keeps %i frames', async (format, frames, height, notes) => {
    const { scaled, metadata } = await scale(await animatedGif(40, 30, 5), { format });
    expect(scaled).toMatchObject({ frames, width: 20, height, notes });
    expect([metadata.pages ?? 1, metadata.pageHeight ?? metadata.height]).toEqual([frames, height]);
  });

  it.each(['webp', 'gif', 'png', 'jpeg', 'avif'] as const)(
    'of one of several pictures in a file, to %s, is no animation',
    async (format) => {
      const several = withSecondItem(await plain(64, 40).avif().toBuffer());
      expect((await sharp(several).metadata()).pages).toBe(2);
      const { scaled } = await scale(several, { format });
      expect(scaled).toMatchObject({ width: 20, height: 13, frames: 1, notes: [] });
    },
  );

  it('says what it changed: depth, animation of a PNG, transparency', async () => {
    const deep = await plain(32, 32).toColourspace('rgb16').png().toBuffer();
    expect((await scale(deep, {})).scaled.notes).toEqual(['reduced_to_8_bit']);
    const moving = withPngChunk(await plain(32, 32).png().toBuffer(), 'acTL', Buffer.alloc(8, 1));
    expect((await scale(moving, {})).scaled.notes).toEqual(['first_frame_only']);
    const clear = { width: 32, height: 32, channels: 4, background: '#00000000' } as const;
    const transparent = await sharp({ create: clear }).png().toBuffer();
    const { scaled } = await scale(transparent, { format: 'jpeg' });
    expect(scaled.notes).toEqual(['transparency_on_white']);
    const { data } = await sharp(scaled.content).raw().toBuffer({ resolveWithObject: true });
    expect(Math.min(...data)).toBeGreaterThan(250);
  });

  it('decides by content, not by name, and enlarges one pixel to four', async () => {
    const { scaled } = await scale(await plain(1, 1).jpeg().toBuffer(), { width: 20 });
    expect(scaled).toMatchObject({ width: 4, height: 4, notes: ['enlargement_limited'] });
  });

  it('crops only when asked to', async () => {
    const content = await plain(64, 40).png().toBuffer();
    const both = { width: 20, height: 20 };
    expect((await scale(content, both)).scaled).toMatchObject({ width: 20, height: 13 });
    expect((await scale(content, { ...both, fit: 'cover' })).scaled).toMatchObject(both);
  });

  it('returns at once when it is cancelled in mid-encode', async () => {
    const source = await readImage(await noise(900, 900).png().toBuffer());
    const format: ImageFormat = 'avif';
    const plan = planScale(source, { width: 900, fit: 'inside', format });
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const work = scaleImage(source, plan, controller.signal);
    setImmediate(() => controller.abort(reason));
    await expect(work).rejects.toBe(reason);
    await expect(scaleImage(source, plan, controller.signal)).rejects.toBe(reason);
  });
});
