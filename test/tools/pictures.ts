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

/** An AVIF of one picture made into one that holds it twice, as items of their own: no animation. */
export function withSecondItem(avif: Buffer): Buffer {
  const boxes = boxesOf(avif);
  const meta = boxes.find(({ type }) => type === 'meta');
  const data = boxes.find(({ type }) => type === 'mdat');
  if (meta === undefined || data === undefined) throw new Error('this is no AVIF of one item');
  const inner = boxesOf(meta.content.subarray(4));
  const contentOf = (type: string) =>
    inner.find((one) => one.type === type)?.content ?? Buffer.of();
  const properties = boxesOf(contentOf('iprp'));
  const associations = properties.find(({ type }) => type === 'ipma')?.content ?? Buffer.of();
  const [info] = boxesOf(contentOf('iinf').subarray(6));
  const entry = info?.content ?? Buffer.of();
  const secondEntry = Buffer.from(entry);
  secondEntry.writeUInt16BE(2, 4);
  const head = avif.subarray(0, avif.readUInt32BE(0));
  const makeMeta = (offset: number) => {
    // Version 0: offsets and lengths of four bytes, one extent each.
    const place = (id: number) =>
      Buffer.concat([shorts(id, 0, 1), words(offset, data.content.length)]);
    const iloc = box('iloc', words(0), Buffer.of(0x44, 0), shorts(2), place(1), place(2));
    const iinf = box('iinf', words(0), shorts(2), box('infe', entry), box('infe', secondEntry));
    const ofOne = associations.subarray(8 + 2);
    const ipma = box('ipma', words(0, 2), shorts(1), ofOne, shorts(2), ofOne);
    const ipco = properties.find(({ type }) => type === 'ipco')?.content ?? Buffer.of();
    const iprp = box('iprp', box('ipco', ipco), ipma);
    const parts = [box('hdlr', contentOf('hdlr')), box('pitm', contentOf('pitm'))];
    return box('meta', words(0), ...parts, iloc, iinf, iprp);
  };
  const offset = head.length + makeMeta(0).length + 8;
  return Buffer.concat([head, makeMeta(offset), box('mdat', data.content)]);
}

function boxesOf(bytes: Buffer): { readonly type: string; readonly content: Buffer }[] {
  const boxes = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at) || bytes.length - at;
    const type = bytes.toString('latin1', at + 4, at + 8);
    boxes.push({ type, content: bytes.subarray(at + 8, at + size) });
    at += size;
  }
  return boxes;
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([words(content.length + 8), Buffer.from(type, 'latin1'), content]);
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

function shorts(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
}

/** A JPEG whose scan says that it covers only part of the coefficients, as some cameras write. */
export function withWrongScan(jpeg: Buffer): Buffer {
  const mended = Buffer.from(jpeg);
  const scan = scanOf(jpeg);
  mended[scan + jpeg.readUInt16BE(scan + 2)] = 0;
  return mended;
}

/** A JPEG with bytes between two segments of its header. */
export function withStrayBytes(jpeg: Buffer): Buffer {
  const scan = scanOf(jpeg);
  return Buffer.concat([jpeg.subarray(0, scan), Buffer.from([1, 0, 2, 3]), jpeg.subarray(scan)]);
}

/** A JPEG with zeros in the middle of its coded data. */
export function withLostData(jpeg: Buffer): Buffer {
  const lost = Buffer.from(jpeg);
  const middle = Math.floor((scanOf(jpeg) + jpeg.length) / 2);
  return lost.fill(0xff, middle, middle + 1).fill(0xd9, middle + 1, middle + 2);
}

/** Where the first scan of a JPEG begins. */
function scanOf(jpeg: Buffer): number {
  let at = 2;
  while (jpeg[at + 1] !== 0xda) at += 2 + jpeg.readUInt16BE(at + 2);
  return at;
}
