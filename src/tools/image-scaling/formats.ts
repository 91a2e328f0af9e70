import { Buffer } from 'node:buffer';
import type { ImageFormat } from './image-scaling.types.ts';

export const IMAGE_FORMATS = ['jpeg', 'png', 'webp', 'gif', 'avif'] as const;

/** The longest side that is written, in pixels; WebP has room for one less. */
export const MAX_SIDE = 16_384;

export function maxSideOf(format: ImageFormat): number {
  return format === 'webp' ? 16_383 : MAX_SIDE;
}

const BY_EXTENSION: Readonly<Record<string, ImageFormat>> = {
  jpg: 'jpeg',
  jpeg: 'jpeg',
  png: 'png',
  webp: 'webp',
  gif: 'gif',
  avif: 'avif',
};

/** The format that a file name's extension stands for, in any case; null for another or none. */
export function formatOfName(name: string): ImageFormat | null {
  const extension = /\.([A-Za-z0-9]+)$/u.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_EXTENSION, extension) ? (BY_EXTENSION[extension] ?? null) : null;
}

/**
 * The format of a picture by its first bytes; null for anything else, however it is named.
 * AVIF is an ISO media file whose brands name it.
 */
export function sniffFormat(content: Uint8Array): ImageFormat | null {
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, 64));
  const text = head.toString('latin1');
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif';
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'webp';
  const isAvif = readBrands(content).some((brand) => brand === 'avif' || brand === 'avis');
  return isAvif ? 'avif' : null;
}

/** What an ISO media file says it is, at its beginning; empty for any other file. */
function readBrands(content: Uint8Array): string[] {
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, 64));
  const text = head.toString('latin1');
  if (!text.startsWith('ftyp', 4)) return [];
  return text.slice(8, head.readUInt32BE(0)).match(/[^]{4}/gu) ?? [];
}

/**
 * Whether a picture of a format whose frames are not read is an animation: a PNG with an `acTL`
 * chunk before the first `IDAT`, an AVIF that says it is a sequence.
 */
export function isAnimated({
  format,
  content,
}: {
  readonly format: ImageFormat;
  readonly content: Uint8Array;
}): boolean {
  if (format === 'png') return isAnimatedPng(content);
  return format === 'avif' && readBrands(content).includes('avis');
}

function isAnimatedPng(content: Uint8Array): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  for (let at = 8; at + 8 <= bytes.length; ) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'acTL') return true;
    if (type === 'IDAT') return false;
    at += 12 + bytes.readUInt32BE(at);
  }
  return false;
}

/** Whether a WebP holds no picture in the lossy form. */
export function isLosslessWebp(content: Uint8Array): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  for (let at = 12; at + 8 <= bytes.length; ) {
    const type = bytes.toString('latin1', at, at + 4);
    if (type === 'VP8L') return true;
    if (type === 'VP8 ' || type === 'ANMF') return false;
    const size = bytes.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  return false;
}
