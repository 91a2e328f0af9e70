import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { RunStatus, RunSummary } from '../run/store/store.types.ts';
import type { Io } from './io.ts';
import { printableLine } from './printable.ts';
import type { StoredRuns } from './store.ts';
import { say, sayStatus } from './texts.ts';
import { cutToWidth, padToWidth, textWidth } from './width.ts';

/** Where a run stands for people: one that says `running` and that nobody drives was interrupted. */
export type ShownStatus = RunStatus | 'interrupted';

/** Every stored run, in one list. */
const ALL = 1_000_000;

/** Runs named where one was not found. */
const MOST_NAMED = 5;

export function shownStatus({
  status,
  drivenBy,
}: Pick<RunSummary, 'status' | 'drivenBy'>): ShownStatus {
  return status === 'running' && drivenBy === null ? 'interrupted' : status;
}

/**
 * The run with an id, or the only one whose id begins with the text.
 * @throws AgentHubError `not_found` or `ambiguous`, naming the runs there are.
 */
export async function findRun(
  text: string,
  { store, locale }: Pick<StoredRuns, 'store' | 'locale'>,
  io: Io,
): Promise<RunSummary> {
  const found = (await store.list({ search: text, limit: ALL })).filter(
    ({ runId }) => text !== '' && runId.startsWith(text),
  );
  const [only] = found;
  const exact = found.find(({ runId }) => runId === text);
  if (exact !== undefined) return exact;
  if (only !== undefined && found.length === 1) return only;
  const named = found.length > 0 ? found : await store.list({ limit: MOST_NAMED });
  const what = found.length > 0 ? 'ambiguousRun' : named.length > 0 ? 'unknownRun' : 'noRunAtAll';
  const lines = runLines(named.slice(0, 2 * MOST_NAMED), io, { locale, columns: 100 });
  throw new AgentHubError(
    found.length > 0 ? 'ambiguous' : 'not_found',
    [say(locale, what, { run: text, file: store.name, count: found.length }), ...lines].join('\n'),
  );
}

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
