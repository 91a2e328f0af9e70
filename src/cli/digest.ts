import { createHash } from 'node:crypto';

/** SHA-256 in hexadecimal digits: what trust in a file is bound to. */
export function digestOf(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}
