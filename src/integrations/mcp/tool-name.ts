import { createHash } from 'node:crypto';

const LONGEST = 64;

/**
 * `<server>__<tool>` as models may call it. A tool's name that does not fit is cut, other characters
 * become `_`, and eight digits that stand for the whole of it follow. The name depends on these two
 * alone, never on what else a server lists, so that a policy keeps its tool.
 */
export function toolName(server: string, tool: string): string {
  const whole = `${server}__${tool}`;
  if (/^[A-Za-z0-9_-]+$/u.test(whole) && whole.length <= LONGEST) return whole;
  const digits = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  const fitting = whole.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, LONGEST - digits.length - 1);
  return `${fitting}_${digits}`;
}
