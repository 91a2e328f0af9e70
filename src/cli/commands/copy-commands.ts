import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Policies } from '../../../machines/permission/policies.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { Flip } from '../../run/history/policy-check.ts';
import { mergePolicies } from '../../run/options.ts';
import { buildAgentToShow, newRunId } from '../build-agent.ts';
import { commandLine } from '../command-line.ts';
import { checkConfig } from '../config-problems.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { findRun } from '../find-run.ts';
import { type LookFlags, parseCount } from '../flags.ts';
import type { Io } from '../io.ts';
import { printable, printableJson, printableJsonText, printableLine } from '../printable.ts';
import { type StoredRuns, withRuns } from '../store.ts';
import { say } from '../texts.ts';

export interface ForkFlags extends LookFlags {
  readonly at: string;
  readonly policies?: string;
}

/** `agenthub fork`: a new run from a run's first records, nobody driving it. */
export async function forkCommand(run: string, flags: ForkFlags, io: Io): Promise<ExitCode> {
  const at = parseCount('--at', flags.at, 0);
  if (flags.policies !== undefined && flags.policies !== 'current')
    throw new AgentHubError('usage', `--policies: "${flags.policies}" is not known; use current.`);
  return withRuns(flags, io, async (stored) => {
    const { runs, settings, locale } = stored;
    const { runId } = await findRun(run, stored, io);
    const isCurrent = flags.policies === 'current';
    const newId = await runs.fork(runId, {
      at,
      newId: newRunId(),
      ...(isCurrent && { policies: buildAgentToShow(settings, io).policies }),
    });
    if (flags.json) {
      const told = { runId: newId, forkedFrom: { runId, seq: at } };
      io.stdout.write(`${printableJson(told, 2)}\n`);
      return EXIT.done;
    }
    const values = { new: newId, run: runId, records: at + 1 };
    const goOn = `${say(locale, 'goOn')}${commandLine(['resume', newId], flags)}`;
    io.stdout.write(`${printable(`${say(locale, 'forked', values)}\n${goOn}`)}\n`);
    return EXIT.done;
  });
}

/**
 * `agenthub policy-check`: which decisions of the stored runs other policies would change. Exits
 * with 1 when one would, or when a run could not be checked.
 */
export async function policyCheckCommand(
  file: string,
  flags: LookFlags,
  io: Io,
): Promise<ExitCode> {
  return withRuns(flags, io, async ({ runs, locale }) => {
    const policies = readPolicies(resolve(io.cwd, file), locale);
    const checked = await runs.checkPolicies(policies);
    const { decisions, flips, unreadable } = checked;
    const exitCode = flips.length + unreadable.length > 0 ? EXIT.failed : EXIT.done;
    if (flags.json) {
      io.stdout.write(`${printableJson({ ...checked, exitCode }, 2)}\n`);
      return exitCode;
    }
    const values = { runs: checked.runs, decisions, flips: flips.length };
    const lines = [
      say(locale, flips.length === 0 ? 'noFlips' : 'flips', values),
      ...flips.flatMap((flip) => flipLines(flip, locale)),
    ];
    io.stdout.write(`${lines.join('\n')}\n`);
    if (unreadable.length > 0)
      io.stderr.write(
        `${printable(say(locale, 'unreadableRuns', { runs: unreadable.join(', ') }))}\n`,
      );
    return exitCode;
  });
}

function flipLines(flip: Flip, locale: StoredRuns['locale']): string[] {
  const { runId, callId, tool, seq, before, after } = flip;
  const head = `${runId} ${callId} ${tool} #${seq}: ${before.action} → ${after.action}`;
  const { reasons } = after.reasons.length > 0 ? after : before;
  const sign = after.reasons.length > 0 ? '+' : '-';
  return [
    printableLine(head),
    ...reasons.map((reason) => `  ${sign} ${printableLine(reason[locale])}`),
  ];
}

/**
 * The policies of a file: a configuration's `permissions.policies`, or the policies themselves by
 * tool name; over the shipped ones, as in a configuration.
 */
function readPolicies(path: string, locale: StoredRuns['locale']): Policies {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/u, ''));
  } catch (thrown) {
    throw new AgentHubError('usage', `${path}: ${(thrown as Error).message}`);
  }
  const checked = checkConfig(json, locale);
  if (checked.ok) return mergePolicies(checked.config.permissions?.policies as Policies);
  const isConfig = typeof json === 'object' && json !== null && 'permissions' in json;
  if (!isConfig) return mergePolicies(json as Policies);
  const problems = checked.problems.map(({ path: at, text }) => `${path}: ${at}: ${text}`);
  throw new AgentHubError('invalid_config', problems.join('\n'));
}

export interface ExportFlags extends LookFlags {
  readonly output?: string;
}

/** `agenthub export`: a run as NDJSON, to stdout or whole into a file. */
export async function exportCommand(run: string, flags: ExportFlags, io: Io): Promise<ExitCode> {
  return withRuns(flags, io, async (stored) => {
    const { runId } = await findRun(run, stored, io);
    const text = await stored.runs.export(runId);
    if (flags.output === undefined) {
      io.stdout.write(printableJsonText(text));
      return EXIT.done;
    }
    const file = resolve(io.cwd, flags.output);
    await writeWhole(file, text, stored.locale);
    if (flags.json) io.stdout.write(`${printableJson({ runId, file }, 2)}\n`);
    else io.stderr.write(`${printable(say(stored.locale, 'written', { file }))}\n`);
    return EXIT.done;
  });
}

/** Writes a file under another name and moves it into place: there is all of it, or what was. */
async function writeWhole(file: string, text: string, locale: StoredRuns['locale']): Promise<void> {
  const name = `.${basename(file)}.${randomBytes(4).toString('hex')}.tmp`;
  const temporary = join(dirname(file), name);
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (thrown) {
    await rm(temporary, { force: true });
    const why = (thrown as NodeJS.ErrnoException).code ?? String(thrown);
    throw new AgentHubError('not_written', say(locale, 'notWritten', { file, why }));
  }
}

export interface ImportFlags extends LookFlags {
  /** The id of the new run, instead of its own. */
  readonly as?: string;
}

/** `agenthub import`: an exported run, checked whole before anything is written. */
export async function importCommand(file: string, flags: ImportFlags, io: Io): Promise<ExitCode> {
  const path = resolve(io.cwd, file);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new AgentHubError('usage', `${path}: ${(thrown as Error).message}`);
  }
  const work = async ({ runs, locale }: StoredRuns) => {
    const runId = await runs.import(text, flags.as === undefined ? {} : { newId: flags.as });
    if (flags.json) io.stdout.write(`${printableJson({ runId }, 2)}\n`);
    else io.stdout.write(`${printable(say(locale, 'imported', { run: runId }))}\n`);
    return EXIT.done;
  };
  return withRuns(flags, io, work, { creates: true });
}
