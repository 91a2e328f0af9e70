import { isDeepStrictEqual } from 'node:util';
import type { CaseFailure, CaseReport } from './case-kind.ts';
import { isSkipped, type Row } from './rows.ts';

/** What a row wants and what came of it, in a form of the kind's choosing. */
export interface Judged {
  readonly expected: unknown;
  readonly got: unknown;
}

/**
 * Judges rows whose `expected` is not the form of the result: `judge` answers both sides, or
 * null for a row that this kind skips. Scenario rows and other platforms' are skipped here.
 */
export async function judgeBySides<Kind extends Row>(
  rows: readonly Kind[],
  judge: (row: Kind) => Promise<Judged | null> | Judged | null,
): Promise<CaseReport> {
  const failed: CaseFailure[] = [];
  let passed = 0;
  let skipped = 0;
  for (const row of rows) {
    const judged = isSkipped(row) ? null : await judge(row);
    if (judged === null) skipped += 1;
    else if (isDeepStrictEqual(judged.got, judged.expected)) passed += 1;
    else failed.push({ id: row.id, ...judged });
  }
  return { passed, failed, skipped };
}

/** The value of a generator in a row: a JavaScript expression, or a function without parameters. */
export function evaluateGenerator(source: string): unknown {
  const value: unknown = new Function(`return (${source});`)();
  return typeof value === 'function' ? value() : value;
}
