import type { Limits } from '../../../machines/agent/agent.types.ts';
import type { Approval } from '../../../machines/permission/reasons.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { printable, printableJson } from '../../../machines/vocabulary/printable.ts';
import type { Run } from '../../run/run.types.ts';
import { hasEnded, shownStatus } from '../../run/run-status.ts';
import type { RunSummary } from '../../run/store/store.types.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { findRun } from '../find-run.ts';
import { type DriveFlags, parseCount, parseDuration, parseGrants, parseOnAsk } from '../flags.ts';
import { inspectorPage, keepServing } from '../inspector-page.ts';
import type { Io } from '../io.ts';
import { checkOutput, driveAndReport, isForPrograms, resumeCommand } from '../report.ts';
import { type StoredRuns, withRuns } from '../store.ts';
import { say, sayStatus } from '../texts.ts';
import { TERMINAL, tellPosted } from './answer-words.ts';

export interface ResumeFlags extends DriveFlags {
  readonly turns?: string;
  readonly toolCalls?: string;
  readonly tokens?: string;
  readonly time?: string;
  readonly repairs?: string;
  readonly stopBlocks?: string;
}

/** `agenthub resume`: goes on with a stored run here, or asks whoever drives it to go on. */
export async function resumeStored(text: string, flags: ResumeFlags, io: Io): Promise<ExitCode> {
  const grants = parseGrants(flags.grant);
  checkDriving(flags);
  const limits = parseLimits(flags);
  return withRuns({ flags, io, drives: true }, async (stored) => {
    const found = await findRun(text, stored, io);
    if (found.drivenBy === null) return driveStored(found, { stored, flags, io, limits, grants });
    const { locale, runs } = stored;
    const { runId, drivenBy, status } = found;
    if (status === 'suspended') {
      const posted = await runs.resume(runId, { by: TERMINAL, limits });
      return tellPosted(posted, { runId, what: say(locale, 'resumes'), flags, io, locale });
    }
    throw new AgentHubError(
      'run_driven',
      `${say(locale, 'drivenElsewhere', { run: runId, owner: drivenBy })}\n${say(locale, 'freeSoon')}`,
    );
  });
}

/** @throws AgentHubError `usage` for flags that cannot be, before anything is opened. */
export function checkDriving(flags: DriveFlags): void {
  parseOnAsk(flags.onAsk);
  checkOutput(flags);
}

export interface DriveStoredOptions {
  readonly stored: StoredRuns;
  readonly flags: DriveFlags;
  readonly io: Io;
  /** For a run that a limit suspended. */
  readonly limits?: Partial<Limits>;
  /** Approvals given beforehand. */
  readonly grants?: readonly Approval[];
}

/**
 * Goes on with a stored run in this process. Answers that wait for it come first. Where nobody can
 * be asked it is left waiting again, unless `--on-ask deny` is said: it is answered by commands.
 */
export async function driveStored(
  found: RunSummary,
  { stored, flags, io, limits = {}, grants = [] }: DriveStoredOptions,
): Promise<ExitCode> {
  const { store, locale } = stored;
  const { runId, status } = found;
  if (hasEnded(status)) {
    const values = { run: runId, status: sayStatus(locale, shownStatus(found)) };
    throw new AgentHubError('ended', say(locale, 'endedAlready', values));
  }
  const { restore } = await stored.makeAgent();
  const page = inspectorPage({ store, restore }, io, locale);
  const run = await restore(runId);
  const refused = await leaveSuspension(run, { stored, flags, io, limits });
  if (refused !== null) return refused;
  const exitCode = await driveAndReport(run, io, {
    flags,
    locale,
    grants,
    isStored: true,
    unasked: parseOnAsk(flags.onAsk) === 'deny' ? 'deny' : 'leave waiting',
    openPage: () => page.open(runId),
  });
  await keepServing(page.isServed ? [page] : [], io, { locale, exitCode });
  return exitCode;
}

/** Resumes a run that is suspended; gives an exit code where that is refused. */
async function leaveSuspension(
  run: Run,
  { stored, flags, io, limits }: Omit<Required<DriveStoredOptions>, 'grants'>,
): Promise<ExitCode | null> {
  const { locale } = stored;
  if (run.state !== 'suspended') {
    if (Object.keys(limits).length > 0 && !isForPrograms(flags))
      io.stderr.write(`${printable(say(locale, 'limitsIgnored', { run: run.id }))}\n`);
    return null;
  }
  // What the run tells of its rest is told; from here on it tells what is new.
  const outcome = await run.outcome;
  const result = run.resume(limits, { by: TERMINAL });
  if (result.accepted) return null;
  await run.close();
  const reason = outcome.status === 'suspended' ? outcome.reason : '';
  const code = EXIT.suspended;
  if (isForPrograms(flags)) {
    const told = { runId: run.id, status: 'suspended', reason, result, exitCode: code };
    io.stdout.write(`${printableJson(told)}\n`);
    return code;
  }
  const isGiven = Object.keys(limits).length > 0;
  const why = say(locale, isGiven ? 'notRaised' : 'mustRaise', { run: run.id, reason });
  const how = isGiven ? '' : resumeCommand(run.id, reason, flags);
  io.stderr.write(`${printable(`${why}${how}`)}\n`);
  return code;
}

function parseLimits(flags: ResumeFlags): Partial<Limits> {
  const { turns, toolCalls, tokens, time, repairs, stopBlocks } = flags;
  return {
    ...(turns !== undefined && { turns: parseCount('--turns', turns, 1) }),
    ...(toolCalls !== undefined && { toolCalls: parseCount('--tool-calls', toolCalls, 1) }),
    ...(tokens !== undefined && { tokens: parseCount('--tokens', tokens, 1) }),
    ...(time !== undefined && { time: parseDuration('--time', time) }),
    ...(repairs !== undefined && { repairs: parseCount('--repairs', repairs, 0) }),
    ...(stopBlocks !== undefined && { stopBlocks: parseCount('--stop-blocks', stopBlocks, 0) }),
  };
}
