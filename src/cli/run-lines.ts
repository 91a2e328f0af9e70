import { printableLine } from '../../machines/vocabulary/printable.ts';
import { shownStatus } from '../run/run-status.ts';
import type { RunSummary } from '../run/store/store.types.ts';
import type { Io } from './io.ts';
import type { StoredRuns } from './store.ts';
import { sayStatus } from './texts.ts';
import { cutToWidth, padToWidth, textWidth } from './width.ts';

/** Runs as lines of a table: id, status, age, prompt. */
export function runLines(
  runs: readonly RunSummary[],
  { clock }: Pick<Io, 'clock'>,
  { locale, columns }: Pick<StoredRuns, 'locale'> & { readonly columns: number },
): string[] {
  const rows = runs.map((run) => [
    printableLine(run.runId),
    sayStatus(locale, shownStatus(run)),
    sayAge(clock.now() - run.createdAt),
  ]);
  const widths = [0, 1, 2].map((column) =>
    Math.max(0, ...rows.map((row) => textWidth(row[column] ?? ''))),
  );
  return rows.map((row, index) => {
    const start = row.map((cell, column) => padToWidth(cell, widths[column] ?? 0)).join('  ');
    const room = Math.max(10, columns - textWidth(start) - 2);
    return `${start}  ${cutToWidth(printableLine(runs[index]?.prompt ?? ''), room)}`;
  });
}

/** How long ago, such as `5s`, `3m`, `2h` or `4d`. */
export function sayAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
