import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { printable, printableJson } from '../../../machines/vocabulary/printable.ts';
import { type ShownStatus, shownStatus } from '../../run/run-status.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { findRun } from '../find-run.ts';
import { type LookFlags, parseCount, parseWord } from '../flags.ts';
import type { Io } from '../io.ts';
import { runLines } from '../run-lines.ts';
import { withRuns } from '../store.ts';
import { showLines, timelineLine, toStdout, writeLines } from '../stored-lines.ts';
import { SHOWN_STATUSES, say } from '../texts.ts';
import { whyLines } from '../why-lines.ts';
import { type CallIds, checkCall } from './answer-commands.ts';

export interface RunsFlags extends LookFlags {
  readonly status?: string;
  readonly search?: string;
  readonly limit?: string;
}

/** Runs listed unless more are asked for. */
const LISTED = 20;

/** All that are stored; filters that the store does not know are applied to these. */
const ALL = 1_000_000;

/** `agenthub runs`: the stored runs, newest first. An empty store is no error. */
export async function runsCommand(flags: RunsFlags, io: Io): Promise<ExitCode> {
  const { status, search } = flags;
  const limit = flags.limit === undefined ? LISTED : parseCount('--limit', flags.limit, 1);
  if (status !== undefined) parseWord('--status', status, SHOWN_STATUSES);
  const write = (value: unknown) => io.stdout.write(`${printableJson(value, 2)}\n`);
  const listing = withRuns({ flags, io }, async ({ store, locale }) => {
    const kept =
      status === 'interrupted' ? 'running' : (status as Exclude<ShownStatus, 'interrupted'>);
    const filter = { ...(status && { status: kept }), ...(search && { search }) };
    const isNarrowed = kept === 'running';
    const found = (await store.list({ ...filter, limit: isNarrowed ? ALL : limit }))
      .filter((run) => status === undefined || shownStatus(run) === status)
      .slice(0, limit);
    if (flags.json) write(found.map((run) => ({ ...run, status: shownStatus(run) })));
    else if (found.length === 0) io.stderr.write(`${say(locale, 'noRuns')}\n`);
    else {
      const columns = io.stdout.isTTY === true ? io.stdout.columns || 80 : 120;
      io.stdout.write(`${runLines(found, io, { locale, columns }).join('\n')}\n`);
    }
    return EXIT.done;
  });
  try {
    return await listing;
  } catch (thrown) {
    if (!(thrown instanceof AgentHubError && thrown.code === 'no_runs')) throw thrown;
    if (flags.json) write([]);
    else io.stderr.write(`${printable(thrown.message)}\n`);
    return EXIT.done;
  }
}

/** `agenthub show`: one run in full. */
export async function showCommand(run: string, flags: LookFlags, io: Io): Promise<ExitCode> {
  return withRuns({ flags, io }, async (stored) => {
    const { runId } = await findRun(run, stored, io);
    const shown = await stored.runs.show(runId);
    if (flags.json) {
      const told = { ...shown, status: shownStatus(shown) };
      io.stdout.write(`${printableJson(told, 2)}\n`);
    } else writeLines(showLines(shown, { ...stored, flags, io: toStdout(io) }), io);
    return EXIT.done;
  });
}

/** `agenthub why`: every rule, hook and approval that bore on a call, and what decided. */
export async function whyCommand(ids: CallIds, flags: LookFlags, io: Io): Promise<ExitCode> {
  return withRuns({ flags, io }, async (stored) => {
    const { runs, locale } = stored;
    const { runId } = await findRun(ids.run, stored, io);
    checkCall(ids.call, await runs.show(runId), stored);
    const why = await runs.why(runId, ids.call);
    if (flags.json) io.stdout.write(`${printableJson(why, 2)}\n`);
    else writeLines(whyLines(why, locale), io);
    return EXIT.done;
  });
}

export interface ReplayFlags extends LookFlags {
  readonly to?: string;
}

/** `agenthub replay`: a run's records one by one, as the machine takes them; reads only. */
export async function replayCommand(run: string, flags: ReplayFlags, io: Io): Promise<ExitCode> {
  const to = flags.to === undefined ? undefined : parseCount('--to', flags.to, 0);
  return withRuns({ flags, io }, async (stored) => {
    const { runId } = await findRun(run, stored, io);
    const timeline = await stored.runs.replay(runId, to);
    if (flags.json) io.stdout.write(`${printableJson(timeline, 2)}\n`);
    else io.stdout.write(`${timeline.map(timelineLine).join('\n')}\n`);
    return EXIT.done;
  });
}
