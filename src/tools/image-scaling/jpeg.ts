import { Buffer } from 'node:buffer';

const START_OF_IMAGE = 2;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** What every scan of a sequential JPEG covers: all coefficients, in one pass (T.81, B.2.3). */
const WHOLE_SCAN = Buffer.from([0, 63, 0]);

/**
 * A JPEG without the slips that cameras write into its headers and every viewer overlooks: wrong
 * scan parameters in a sequential picture, bytes between segments. The decoder is strict, so that
 * a picture that is cut or overwritten is refused, and would refuse these, too. The picture's own
 * data stays as it is; a file that is no whole JPEG stays as it is from there on.
 */
export function mendJpeg(content: Uint8Array): Uint8Array {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const parts: Buffer[] = [];
  let kept = 0;
  let isSequential = false;
  const replace = (from: number, to: number, by: Buffer) => {
    parts.push(bytes.subarray(kept, from), by);
    kept = to;
  };

  for (let at = START_OF_IMAGE; at < bytes.length; ) {
    const marker = findMarker(bytes, at);
    if (marker === null || bytes[marker + 1] === END_OF_IMAGE) break;
    const end = marker + 2 + (marker + 4 <= bytes.length ? bytes.readUInt16BE(marker + 2) : 0);
    if (end < marker + 4 || end > bytes.length) break;
    if (marker > at) replace(at, marker, Buffer.alloc(0));
    const type = bytes[marker + 1];
    if (type === 0xc0 || type === 0xc1) isSequential = true;
    if (type !== START_OF_SCAN) {
      at = end;
      continue;
    }
    const isWhole = bytes.subarray(end - WHOLE_SCAN.length, end).equals(WHOLE_SCAN);
    if (isSequential && !isWhole) replace(end - WHOLE_SCAN.length, end, WHOLE_SCAN);
    at = endOfScan(bytes, end);
  }
  return kept === 0 ? content : Buffer.concat([...parts, bytes.subarray(kept)]);
}

/** Where the next marker begins, whatever stands before it; fill bytes belong to it no more. */
function findMarker(bytes: Buffer, from: number): number | null {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const type = bytes[at + 1];
    if (type !== undefined && type !== 0 && type !== 0xff) return at;
  }
  return null;
}

/** Where the coded data of a scan ends: at the first marker that is no restart. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = findMarker(bytes, from); at !== null; at = findMarker(bytes, at + 2)) {
    const type = bytes[at + 1] ?? 0;
    if (type < 0xd0 || type > 0xd7) return at;
  }
  return bytes.length;
}
