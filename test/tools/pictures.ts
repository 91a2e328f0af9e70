import { Buffer } from 'node:buffer';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A picture of one colour. */
export function plain(width: number, height: number, colour = '#c83232') {
  return sharp({ create: { width, height, channels: 3, background: colour } });
}

/** Noise that compresses badly, always the same. */
export function noise(width: number, height: number) {
  let state = 1;
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < pixels.length; at += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    pixels[at] = state >> 16;
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** An animated GIF; each frame has another grey. */
export async function animatedGif(width: number, height: number, frames: number): Promise<Buffer> {
  const pages = Array.from({ length: frames }, (_, frame) =>
    Buffer.alloc(width * height * 3, (frame * 255) / frames),
  );
  const raw = { width, height: height * frames, channels: 3, pageHeight: height } as const;
  return sharp(Buffer.concat(pages), { raw }).gif().toBuffer();
}

/** A JPEG with an orientation and personal data in its EXIF. */
export function jpegWithExif(width: number, height: number, orientation: number): Promise<Buffer> {
  return plain(width, height)
    .withMetadata({ orientation })
    .withExifMerge({
      IFD0: { Artist: 'Zhang San' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '31/1 13/1 0/1' },
    })
    .jpeg()
    .toBuffer();
}

/** Adds a chunk after the header of a PNG. */
export function withPngChunk(png: Buffer, type: string, data: Buffer): Buffer {
  const afterHeader = 33;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([
    png.subarray(0, afterHeader),
    length,
    typed,
    check,
    png.subarray(afterHeader),
  ]);
}

/** A compressed text chunk that is `size` bytes when unpacked. */
export function textBomb(size: number): Buffer {
  return Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(Buffer.alloc(size, 65))]);
}

/** A PNG header that promises a size, with no picture behind it. */
export function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const length = Buffer.from([0, 0, 0, 13]);
  const typed = Buffer.concat([Buffer.from('IHDR'), header]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([
    signature,
    length,
    typed,
    check,
    Buffer.from([0, 0, 0, 0, 73, 68, 65, 84]),
  ]);
}

/** The check sum of PNG and zip (ISO 3309), bit by bit. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
