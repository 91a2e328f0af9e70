import type { IncomingMessage } from 'node:http';
import type { Refusal } from './safety.ts';

/** Bytes a command may have. */
const MAX_BYTES = 64 * 1024;

export type Body =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly refusal: Refusal };

/** Reads the JSON of a command: `application/json` only (415), 64 KiB at most (413). */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    return refused(415, 'not_json', 'A command is sent as application/json.');
  const tooLarge = refused(413, 'too_large', `A command has at most ${MAX_BYTES} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) return tooLarge;
    chunks.push(chunk);
  }
  try {
    return { ok: true, value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return refused(400, 'not_json', 'The command is not JSON.');
  }
}

function refused(status: number, code: string, message: string): Body {
  return { ok: false, refusal: { status, code, message } };
}
