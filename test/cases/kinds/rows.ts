import { readFile } from 'node:fs/promises';
import type { CaseReport } from '../case-kind.ts';

export interface Row {
  readonly id: string;
  readonly scenario?: boolean;
  readonly optional?: boolean;
}

/** A row's own verdict: what it wants and what came; equal JSON passes. */
export interface Judged {
  readonly expected: unknown;
  readonly got: unknown;
}

export async function readRows<R extends Row>(file: string): Promise<readonly R[]> {
  return JSON.parse(await readFile(file, 'utf8')) as R[];
}

/** Judges each row in turn; `null` skips it. Scenario rows are skipped, their tests are elsewhere. */
export async function judgeRows<R extends Row>(
  rows: readonly R[],
  judge: (row: R) => Promise<Judged | null> | Judged | null,
): Promise<CaseReport> {
  const report: CaseReport = { passed: 0, failed: [], skipped: 0 };
  for (const row of rows) {
    const judged = row.scenario === true ? null : await judge(row);
    if (judged === null) report.skipped += 1;
    else if (JSON.stringify(judged.expected) === JSON.stringify(judged.got)) report.passed += 1;
    else report.failed.push({ id: row.id, ...judged });
  }
  return report;
}

/** Text of a generator in a row: a JavaScript expression of our own case files. */
export function evaluateGenerator(source: string): unknown {
  const value: unknown = new Function(`return (${source});`)();
  return typeof value === 'function' ? value() : value;
}
