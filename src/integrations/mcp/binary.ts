import { printableLine } from '../../../machines/vocabulary/printable.ts';

/** Shorter ones may be ids, digests or keys, which a model has to read. */
const SHORTEST_BASE64 = 512;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/u;
const DATA_URI = /^data:([^;,]*)[^,]*;base64,(.*)$/su;
/** Deeper JSON is nobody's result; what handles it recurses. */
const DEEPEST = 100;

/** How bytes are told of: what they are, as the server calls it, and how many. */
export type Describe = (kind: unknown, count: number) => string;

/** JSON with a description in the place of every member that holds bytes as base64. */
export function withoutBinary(json: unknown, describe: Describe, depth = DEEPEST): unknown {
  if (typeof json === 'string') return withoutBytes(json, describe);
  if (typeof json !== 'object' || json === null) return json;
  if (depth === 0) return '…';
  if (Array.isArray(json)) return json.map((one) => withoutBinary(one, describe, depth - 1));
  const { type, mimeType } = json as Readonly<Record<string, unknown>>;
  const isMedia = type === 'image' || type === 'audio' || typeof mimeType === 'string';
  const members = Object.entries(json).map(([key, member]) => {
    const isBytes = typeof member === 'string' && (key === 'blob' || (key === 'data' && isMedia));
    const kept = isBytes
      ? describe(mimeType, bytesOf(member))
      : withoutBinary(member, describe, depth - 1);
    return [key, kept] as const;
  });
  return Object.fromEntries(members);
}

/** The bytes that base64 text stands for. */
export function bytesOf(base64: unknown): number {
  if (typeof base64 !== 'string') return 0;
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

function withoutBytes(text: string, describe: Describe): string {
  const [, mimeType, data] = DATA_URI.exec(text) ?? [];
  if (data !== undefined) return describe(printableLine(mimeType ?? '', 200), bytesOf(data));
  const isBinary = text.length >= SHORTEST_BASE64 && BASE64.test(text) && isMixed(text);
  return isBinary ? describe(undefined, bytesOf(text)) : text;
}

/** Bytes have all kinds of letters; one letter repeated, or a name, has not. */
function isMixed(text: string): boolean {
  return /[a-z]/u.test(text) && /[A-Z]/u.test(text) && /[0-9]/u.test(text);
}
