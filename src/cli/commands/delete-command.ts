import { printable, printableJson } from '../../../machines/vocabulary/printable.ts';
import { hasEnded } from '../../run/run-status.ts';
import type { RunSummary } from '../../run/store/store.types.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { findRun } from '../find-run.ts';
import { type LookFlags, parseDuration } from '../flags.ts';
import type { Io } from '../io.ts';
import { type StoredRuns, withRuns } from '../store.ts';
import { say } from '../texts.ts';
import { usageError } from '../usage-error.ts';

export interface DeleteFlags extends LookFlags {
  /** Every run that has ended and not changed for so long. */
  readonly older?: string;
  /** Also those that have not ended, if nobody drives them. */
  readonly force?: boolean;
}

/** `agenthub delete`: takes runs that have ended out of the store, all that are named or none. */
export async function deleteCommand(
  names: readonly string[],
  flags: DeleteFlags,
  io: Io,
): Promise<ExitCode> {
  const age = flags.older === undefined ? null : parseDuration('--older', flags.older);
  if ((age === null) === (names.length === 0)) throw usageError('deleteWhich');
  return withRuns({ flags, io }, async (stored) => {
    const { runs, locale } = stored;
    const found = age === null ? await named(names, stored, io) : await olderThan(age, stored, io);
    const force = flags.force === true;
    // Those that have not ended come first: they are refused before any is deleted.
    const open = found.filter(({ status }) => !hasEnded(status));
    for (const { runId } of new Set([...open, ...found])) await runs.delete(runId, { force });
    const deleted = found.map(({ runId }) => runId);
    if (flags.json) io.stdout.write(`${printableJson({ deleted }, 2)}\n`);
    else io.stdout.write(`${printable(say(locale, 'deleted', { count: deleted.length }))}\n`);
    return EXIT.done;
  });
}

async function named(
  names: readonly string[],
  stored: StoredRuns,
  io: Io,
): Promise<readonly RunSummary[]> {
  const found = new Map<string, RunSummary>();
  for (const name of names) {
    const run = await findRun(name, stored, io);
    found.set(run.runId, run);
  }
  return [...found.values()];
}

async function olderThan(
  age: number,
  { store }: StoredRuns,
  { clock }: Io,
): Promise<readonly RunSummary[]> {
  const before = clock.now() - age;
  const all = await store.list({ limit: Number.MAX_SAFE_INTEGER });
  return all.filter(
    ({ status, updatedAt, drivenBy }) =>
      hasEnded(status) && updatedAt < before && drivenBy === null,
  );
}
