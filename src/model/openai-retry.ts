const FIRST_DELAY = 500;
const LONGEST_DELAY = 8_000;

/**
 * Milliseconds to wait before retry number `attempt` (0 for the first), or null not to retry
 * because the endpoint asks for more than `longest`. `retry-after-ms` and `Retry-After` (seconds
 * or a date, RFC 9110 section 10.2.3) are honoured; without them, 0.5 s doubling up to 8 s.
 */
export function retryDelay(
  attempt: number,
  headers: Headers | null,
  { longest, now }: { readonly longest: number; readonly now: number },
): number | null {
  const asked = askedDelay(headers, now);
  if (asked !== null) return asked > longest ? null : asked;
  return Math.min(FIRST_DELAY * 2 ** attempt, LONGEST_DELAY, longest);
}

function askedDelay(headers: Headers | null, now: number): number | null {
  const milliseconds = numberOf(headers?.get('retry-after-ms'));
  if (milliseconds !== null) return Math.max(0, milliseconds);
  const after = headers?.get('retry-after');
  if (!after) return null;
  const seconds = numberOf(after);
  if (seconds !== null) return Math.max(0, seconds * 1_000);
  const date = Date.parse(after);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function numberOf(text: string | null | undefined): number | null {
  if (text === null || text === undefined || text.trim() === '') return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}
