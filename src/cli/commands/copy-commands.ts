import { resolve } from 'node:path';
import type { Policies } from '../../../machines/permission/policies.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import {
  printable,
  printableJson,
  printableJsonText,
  printableLine,
} from '../../../machines/vocabulary/printable.ts';
import type { Flip } from '../../run/history/policy-check.ts';
import { mergePolicies, policiesSchema } from '../../run/options.ts';
import { buildAgentToShow, newRunId, toolsOf } from '../build-agent.ts';
import { commandLine } from '../command-line.ts';
import { checkConfig } from '../config-problems.ts';
import { configSchema } from '../config-schema.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadExtension } from '../extension.ts';
import { findRun } from '../find-run.ts';
import { type LookFlags, parseCount, parseWord } from '../flags.ts';
import type { Io } from '../io.ts';
import { readJsonFile, readTextFile } from '../read-file.ts';
import { type StoredRuns, withRuns } from '../store.ts';
import { say } from '../texts.ts';
import { writeWhole } from '../write-whole.ts';

export interface ForkFlags extends LookFlags {
  readonly at: string;
  readonly policies?: string;
}

/** `agenthub fork`: a new run from a run's first records, nobody driving it. */
export async function forkCommand(run: string, flags: ForkFlags, io: Io): Promise<ExitCode> {
  const at = parseCount('--at', flags.at, 0);
  if (flags.policies !== undefined) parseWord('--policies', flags.policies, ['current']);
  return withRuns({ flags, io }, async (stored) => {
    const { runs, settings, locale } = stored;
    const { runId } = await findRun(run, stored, io);
    const isCurrent = flags.policies === 'current';
    const newId = await runs.fork(runId, {
      at,
      newId: newRunId(),
      ...(isCurrent && { policies: (await buildAgentToShow(settings, io)).policies }),
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
 * `agenthub policy-check`: which decisions of the stored runs other policies would change: those of
 * the file, over the extension's, over the shipped ones. Exits with 1 when one would, or when a run
 * could not be checked.
 */
export async function policyCheckCommand(
  file: string,
  flags: LookFlags,
  io: Io,
): Promise<ExitCode> {
  return withRuns({ flags, io }, async ({ runs, settings, locale }) => {
    const given = readPolicies(resolve(io.cwd, file), locale);
    const extension = await loadExtension(settings);
    const tools = toolsOf(settings, { cwd: io.cwd, extension }).map(({ name }) => name);
    const { tools: called, ...checked } = await runs.checkPolicies(
      mergePolicies({ ...extension?.policies, ...given }),
    );
    const { decisions, flips, unreadable } = checked;
    // A tool of somebody's program is not known here, but its stored calls are.
    const known = [...tools, ...called];
    const unknownTools = Object.keys(given).filter((name) => !known.includes(name));
    const exitCode = flips.length + unreadable.length > 0 ? EXIT.failed : EXIT.done;
    if (flags.json) {
      io.stdout.write(`${printableJson({ ...checked, unknownTools, exitCode }, 2)}\n`);
      return exitCode;
    }
    if (unknownTools.length > 0) {
      const named = { names: unknownTools.join(', '), tools: tools.join(', ') };
      io.stderr.write(`${printable(say(locale, 'noSuchTools', named))}\n`);
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
 * tool name.
 */
function readPolicies(path: string, locale: StoredRuns['locale']): Policies {
  const json = readJsonFile(path);
  const isPolicies = policiesSchema.safeParse(json).success;
  const isConfig = !isPolicies && looksLikeConfig(json);
  const checked = checkConfig(isConfig ? json : { permissions: { policies: json } }, locale);
  if (checked.ok) return checked.config.permissions?.policies ?? {};
  const problems = checked.problems.map(({ path: at, text }) => {
    const where = isConfig ? at : at.replace(/^permissions\.policies\.?/u, '');
    return [path, where, text].filter(Boolean).join(': ');
  });
  throw new AgentHubError('invalid_config', problems.join('\n'));
}

function looksLikeConfig(json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return Object.keys(json).some((name) => Object.hasOwn(configSchema.shape, name));
}

export interface ExportFlags extends LookFlags {
  readonly output?: string;
}

/** `agenthub export`: a run as NDJSON, to stdout or whole into a file. */
export async function exportCommand(run: string, flags: ExportFlags, io: Io): Promise<ExitCode> {
  return withRuns({ flags, io }, async (stored) => {
    const { runId } = await findRun(run, stored, io);
    const text = await stored.runs.export(runId);
    if (flags.output === undefined) {
      io.stdout.write(printableJsonText(text));
      return EXIT.done;
    }
    const file = resolve(io.cwd, flags.output);
    await writeWhole(file, text);
    if (flags.json) io.stdout.write(`${printableJson({ runId, file }, 2)}\n`);
    else io.stderr.write(`${printable(say(stored.locale, 'written', { file }))}\n`);
    return EXIT.done;
  });
}

export interface ImportFlags extends LookFlags {
  /** The id of the new run, instead of its own. */
  readonly as?: string;
  /** The file is the person's own: its open calls may go on. */
  readonly trusted?: boolean;
}

/** `agenthub import`: an exported run, checked whole before anything is written. */
export async function importCommand(file: string, flags: ImportFlags, io: Io): Promise<ExitCode> {
  const text = readTextFile(resolve(io.cwd, file));
  const work = async ({ runs, locale }: StoredRuns) => {
    const runId = await runs.import(text, {
      ...(flags.as !== undefined && { newId: flags.as }),
      isTrusted: flags.trusted === true,
    });
    if (flags.json) io.stdout.write(`${printableJson({ runId }, 2)}\n`);
    else io.stdout.write(`${printable(say(locale, 'imported', { run: runId }))}\n`);
    return EXIT.done;
  };
  return withRuns({ flags, io, creates: true }, work);
}
