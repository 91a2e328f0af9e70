import { createHash } from 'node:crypto';
import type { Question } from '../../machines/agent/agent.view.ts';

/** SHA-256 of what a person is shown, in hexadecimal: names it where the whole would be too long. */
export function shownDigest({ shown }: Pick<Question, 'shown'>): string {
  return createHash('sha256').update(shown).digest('hex');
}
