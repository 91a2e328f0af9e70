import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createFileGuard, type FileGuard } from '../../src/facts/file-guard.ts';
import { createServiceGuard } from '../../src/facts/services.ts';
import { createImageScaling } from '../../src/tools/image-scaling/image-scaling.ts';
import type { ImageService } from '../../src/tools/image-scaling/image-scaling.types.ts';
import { askService } from '../../src/tools/image-scaling/service.ts';
import {
  type Answer,
  scaleAsAsked,
  type TestService,
  WRONG_ANSWERS,
  withImageService,
} from './image-service.ts';
import { animatedGif, jpegWithExif, noise, withPngChunk } from './pictures.ts';
import { inTemporaryFolder, runTool } from './tool-context.ts';

const INPUT = { input: 'a.jpg', output: 'b.png', width: 20 };
const { signal } = new AbortController();

interface Place {
  readonly folder: string;
  readonly service: TestService;
  readonly files: FileGuard;
  readonly createTool: (
    options?: Partial<ImageService> & { readonly allowed?: boolean },
  ) => ReturnType<typeof createImageScaling>;
}

/** A tool that scales through a real service which answers in a given way. */
async function withTool(answer: Answer, work: (place: Place) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, 'a.jpg'), await jpegWithExif(64, 40, 1));
    const files = createFileGuard({
      workingFolder: folder,
      allowed: [folder],
      private: ['private'],
    });
    await withImageService(answer, async (service) => {
      await work({
        folder,
        service,
        files,
        createTool: ({ allowed = true, ...options } = {}) =>
          createImageScaling({
            files,
            service: {
              url: `${service.origin}/scale`,
              services: createServiceGuard({ origins: allowed ? [service.origin] : [] }),
              ...options,
            },
          }),
      });
    });
  });
}

const EVIL = '<?php evil ?>';

function comment(text: string): Buffer {
  return Buffer.concat([Buffer.of(0x21, 0xfe, text.length), Buffer.from(text), Buffer.of(0)]);
}

/** The mean difference of two pictures' channels, out of 255. */
async function distance(one: Uint8Array, other: Uint8Array): Promise<number> {
  const [a, b] = await Promise.all(
    [one, other].map((file) => sharp(file).removeAlpha().raw().toBuffer()),
  );
  if (a === undefined || b === undefined || a.length !== b.length)
    throw new Error('not the same size');
  return a.reduce((sum, value, index) => sum + Math.abs(value - (b[index] ?? 0)), 0) / a.length;
}

describe('an external image service', () => {
  it('is asked once, and its picture is written without what it carries', async () => {
    await withTool(scaleAsAsked, async ({ folder, service, createTool }) => {
      const { content } = await runTool(createTool(), { ...INPUT, output: 'b.webp' });
      expect(content).toMatch(/^已写入 b\.webp：20×13 webp/u);
      const metadata = await sharp(join(folder, 'b.webp')).metadata();
      expect([metadata.width, metadata.height, metadata.exif]).toEqual([20, 13, undefined]);
      expect(service.calls).toHaveLength(1);
      expect(service.calls[0]).toMatchObject({
        method: 'POST',
        params: { width: 20, height: 13, fit: 'inside', format: 'webp' },
        imageType: 'image/jpeg',
        idempotencyKey: 'run-1/2.0/1',
      });
      expect(service.calls[0]?.image).toEqual(await jpegWithExif(64, 40, 1));
    });
  });

  it.each(['jpeg', 'png', 'webp', 'gif', 'avif'] as const)(
    'gives %s pixels only: no text, no metadata, no bytes behind them',
    async (format) => {
      const drawn = noise(20, 13)
        .withExif({ IFD0: { Artist: EVIL } })
        .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${EVIL}</x:xmpmeta>`);
      const clean = await (format === 'gif' ? noise(20, 13) : drawn).toFormat(format).toBuffer();
      const text =
        format === 'png' ? withPngChunk(clean, 'tEXt', Buffer.from(`a\0${EVIL}`)) : clean;
      const sent = Buffer.concat([text, Buffer.from(EVIL)]);
      const send: Answer = (_, response) => void response.end(sent);
      await withTool(send, async ({ folder, createTool }) => {
        const output = `b.${format}`;
        await runTool(createTool(), { ...INPUT, output });
        const written = await readFile(join(folder, output));
        expect(sent.includes(EVIL)).toBe(true);
        expect(written.includes(EVIL)).toBe(false);
        const { exif, xmp, width, height } = await sharp(written).metadata();
        expect([exif, xmp, width, height]).toEqual([undefined, undefined, 20, 13]);
        const far = await distance(sent, written);
        expect(far).toBeLessThan(format === 'png' || format === 'gif' ? 0.001 : 12);
      });
    },
  );

  it('keeps the frames of an animation, without its comments', async () => {
    const moving = await animatedGif(20, 13, 3);
    // A comment extension, right behind the header and its colours.
    const trailer = Buffer.concat([moving.subarray(0, -1), comment(EVIL), moving.subarray(-1)]);
    const send: Answer = (_, response) => void response.end(trailer);
    await withTool(send, async ({ folder, createTool }) => {
      await writeFile(join(folder, 'm.gif'), await animatedGif(40, 26, 3));
      await runTool(createTool(), { input: 'm.gif', output: 'b.gif', width: 20 });
      const written = await readFile(join(folder, 'b.gif'));
      expect(trailer.includes(EVIL)).toBe(true);
      expect(written.includes(EVIL)).toBe(false);
      expect((await sharp(written, { animated: true }).metadata()).pages).toBe(3);
    });
  });

  it('is allowed by its configured origin, and named in the facts', async () => {
    await withTool(scaleAsAsked, async ({ service, createTool }) => {
      const facts = await createTool().inspectFacts(INPUT, { signal });
      expect(facts).toMatchObject({
        serviceAllowed: true,
        identity: { service: service.origin },
      });
      expect(service.calls).toEqual([]);
    });
  });

  it('is refused at a private address that is not configured, without being asked', async () => {
    await withTool(scaleAsAsked, async ({ service, createTool }) => {
      const tool = createTool({ allowed: false });
      await expect(tool.inspectFacts(INPUT, { signal })).rejects.toMatchObject({
        code: 'service_refused',
        details: { reason: 'private_address' },
      });
      expect(service.calls).toEqual([]);
    });
  });

  it('needs an approval at a public origin that is not configured', async () => {
    await withTool(scaleAsAsked, async ({ createTool }) => {
      const lookup = async () => [{ address: '93.184.216.34', family: 4 as const }];
      const services = createServiceGuard({ origins: [], lookup });
      const tool = createTool({ url: 'https://img.example.com/scale', services });
      expect(await tool.inspectFacts(INPUT, { signal })).toMatchObject({ serviceAllowed: false });
    });
  });

  it('never receives a private picture', async () => {
    await withTool(scaleAsAsked, async ({ service, createTool }) => {
      const input = { ...INPUT, input: 'private/secret.png' };
      expect(await createTool().inspectFacts(input, { signal })).toEqual({ touchesPrivate: true });
      await expect(runTool(createTool(), input)).rejects.toMatchObject({
        code: 'identity_invalid',
      });
      expect(service.calls).toEqual([]);
    });
  });

  it.each(WRONG_ANSWERS)(
    'that %s is an error, and nothing is written',
    async (_, answer, code, message) => {
      await withTool(answer, async ({ folder, service, createTool }) => {
        await expect(runTool(createTool(), INPUT)).rejects.toMatchObject({
          code,
          message: expect.stringMatching(message),
        });
        expect(service.calls).toHaveLength(1);
        expect(await readdir(folder)).toEqual(['a.jpg']);
      });
    },
  );

  it('that never stops sending is cut off at the byte cap', async () => {
    const endless: Answer = (_, response) => {
      response.writeHead(200);
      const pump = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
      };
      response.on('drain', pump);
      pump();
    };
    await withTool(endless, async ({ createTool }) => {
      await expect(runTool(createTool({ maxBytes: 100_000 }), INPUT)).rejects.toMatchObject({
        code: 'service_too_large',
        message: 'The image service sent more than 100000 bytes; the answer was dropped.',
      });
    });
  });

  it.each(['before its answer', 'within its answer'])('that stalls %s times out', async (where) => {
    const stall: Answer = (_, response) => {
      if (where === 'within its answer') response.writeHead(200).write('x');
    };
    await withTool(stall, async ({ folder, createTool }) => {
      await expect(runTool(createTool({ timeout: 50 }), INPUT)).rejects.toMatchObject({
        code: 'service_timeout',
        message: 'The image service did not finish within 50 ms.',
      });
      expect(await readdir(folder)).toEqual(['a.jpg']);
    });
  });

  it('is given up when the call is cancelled', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const cancel: Answer = () => controller.abort(reason);
    await withTool(cancel, async ({ createTool }) => {
      const context = { signal: controller.signal };
      await expect(runTool(createTool(), INPUT, context)).rejects.toBe(reason);
    });
  });

  it('is connected to at the address that was checked, whatever its name resolves to', async () => {
    await withImageService(
      (_, response) => void response.end('reached'),
      async ({ port, calls }) => {
        const content = await askService({
          url: `http://img.example.invalid:${port}/scale`,
          address: { address: '127.0.0.1', family: 4 },
          image: new Uint8Array([1]),
          mediaType: 'image/png',
          params: {},
          idempotencyKey: 'key',
          timeout: 5000,
          maxBytes: 100,
          signal,
        });
        expect(new TextDecoder().decode(content)).toBe('reached');
        expect(calls).toHaveLength(1);
      },
    );
  });
});
