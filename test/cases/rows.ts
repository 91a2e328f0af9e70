import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { CaseFailure, CaseReport } from './case-kind.ts';

/** What all rows have in common; a kind adds its own properties. */
export interface Row {
  readonly id: string;
  readonly expected?: unknown;
  readonly scenario?: boolean;
  readonly platform?: string;
  readonly expand?: readonly Expansion[];
}

interface Expansion {
  readonly token: string;
  readonly unit: string;
  readonly count: number;
}

/** Reads a file of rows: a JSON array of objects with an `id`. Tokens are expanded. */
export async function readRows<Kind extends Row>(file: string): Promise<readonly Kind[]> {
  const rows: unknown = JSON.parse(await readFile(file, 'utf8'));
  if (!Array.isArray(rows)) throw new Error(`${file} is not a JSON array of rows`);
  for (const [index, row] of rows.entries()) {
    if (typeof row?.id !== 'string') throw new Error(`${file}: row ${index} has no id`);
  }
  return (rows as Kind[]).map(expandRow);
}

/** Replaces each `expand` token, in every string of the row, by its unit repeated. */
export function expandRow<Kind extends Row>(row: Kind): Kind {
  const { expand, ...rest } = row;
  if (expand === undefined) return row;
  return expandValue(rest, expand) as Kind;
}

function expandValue(value: unknown, expansions: readonly Expansion[]): unknown {
  if (typeof value === 'string') {
    return expansions.reduce(
      (text, { token, unit, count }) => text.split(token).join(unit.repeat(count)),
      value,
    );
  }
  if (Array.isArray(value)) return value.map((item) => expandValue(item, expansions));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, expandValue(member, expansions)]),
  );
}

/**
 * Judges rows one after the other. `judge` answers what the code under test made of a row, in the
 * form of the row's `expected`; the two are compared by value. A judge that throws fails its row.
 */
export async function judgeRows<Kind extends Row>(
  rows: readonly Kind[],
  judge: (row: Kind) => unknown,
): Promise<CaseReport> {
  const failed: CaseFailure[] = [];
  let passed = 0;
  let skipped = 0;
  for (const row of rows) {
    if (isSkipped(row)) {
      skipped += 1;
      continue;
    }
    const got = await attempt(() => judge(row));
    if (isDeepStrictEqual(got, row.expected)) passed += 1;
    else failed.push({ id: row.id, expected: row.expected, got });
  }
  return { passed, failed, skipped };
}

/** A scenario in words, or a row for another platform. */
export function isSkipped({ scenario, platform }: Row): boolean {
  if (scenario === true) return true;
  if (platform === undefined || platform === 'any') return false;
  if (platform === 'posix') return process.platform === 'win32';
  return platform !== process.platform;
}

async function attempt(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (thrown) {
    return { thrown: String(thrown) };
  }
}
