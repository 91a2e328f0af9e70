import { z } from 'zod';
import { stateOf } from '../../../machines/agent/agent.view.ts';
import type { Policies } from '../../../machines/permission/policies.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { breather } from '../breather.ts';
import {
  type AgentSnapshot,
  checkVersion,
  foldThrough,
  type LogReader,
  readLastSeq,
  startOf,
} from '../fold.ts';
import { inputSchema, wholeLimitsSchema } from '../options.ts';
import { statusOf } from '../run-status.ts';
import type { LogRecord, RunStore, StartRecord } from '../store/store.types.ts';

const FORMAT = 'agenthub-run';
const FORMAT_VERSION = 1;

/** A log as NDJSON: a line that says what it is, then a line per record. */
export async function exportLog(log: readonly LogRecord[]): Promise<string> {
  // Where a store had it from is no part of the run.
  const { imported: _, importedRecords: __, ...start } = startOf(log);
  const { runId } = start.input;
  const header = { format: FORMAT, version: FORMAT_VERSION, runId, records: log.length };
  const lines = await eachInTurn([header, start, ...log.slice(1)], (line) => JSON.stringify(line));
  return `${lines.join('\n')}\n`;
}

/**
 * Reads an exported log.
 * @throws AgentHubError `invalid_export` naming the line and what is wrong with it.
 */
export async function parseExport(text: string): Promise<readonly LogRecord[]> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const [header, ...records] = await eachInTurn(lines, (line, index) => {
    try {
      return JSON.parse(line) as unknown;
    } catch (thrown) {
      throw invalid(`line ${index + 1} is not JSON: ${String(thrown)}`);
    }
  });
  const { format, version, records: length } = (header ?? {}) as Record<string, unknown>;
  if (format !== FORMAT) throw invalid(`line 1 does not say "format":"${FORMAT}"`);
  if (version !== FORMAT_VERSION)
    throw invalid(`it has version ${String(version)}; this AgentHub reads ${FORMAT_VERSION}`);
  if (length !== records.length)
    throw invalid(
      `it should have ${String(length)} records and has ${records.length}: it is cut off`,
    );
  const log = await eachInTurn(records, (record, index) =>
    check(recordSchema, record, `record ${index}`),
  );
  const wrong = log.findIndex(
    ({ seq, kind }, index) => seq !== index || (kind === 'start') !== (index === 0),
  );
  if (wrong >= 0) throw invalid(`record ${wrong} is out of order`);
  const start = startOf(log as unknown as readonly LogRecord[]);
  // Another version's input may have another form; that it is another version says more.
  checkVersion(start);
  check(inputSchema, start.input, 'record 0: input');
  return records as readonly LogRecord[];
}

/** Maps a list that may be long; everything else has its turn meanwhile. */
async function eachInTurn<One, Other>(
  list: readonly One[],
  map: (one: One, index: number) => Other,
): Promise<readonly Other[]> {
  const found: Other[] = [];
  const breathe = breather();
  for (const [index, one] of list.entries()) {
    found.push(map(one, index));
    await breathe();
  }
  return found;
}

const place = { seq: z.number().int().nonnegative(), at: z.number() };

/** The form of a record. What an event holds is read by the machine, which trusts none of it. */
const recordSchema = z.discriminatedUnion('kind', [
  z.object({
    ...place,
    kind: z.literal('start'),
    machineVersion: z.string(),
    input: z.looseObject({ runId: z.string() }),
  }),
  z.object({ ...place, kind: z.literal('event'), event: z.looseObject({ type: z.string() }) }),
  z.object({
    ...place,
    kind: z.literal('intent'),
    callId: z.string(),
    attempt: z.number().int().positive(),
  }),
  z.object({ ...place, kind: z.literal('limits'), limits: wholeLimitsSchema }),
]);

function check<Value>(schema: z.ZodType<Value>, value: unknown, where: string): Value {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  const path = issue?.path.map(String).join('.') ?? '';
  throw invalid(`${where}${path === '' ? '' : `.${path}`}: ${issue?.message ?? 'invalid'}`);
}

function invalid(why: string): AgentHubError {
  return new AgentHubError(
    'invalid_export',
    `This is no exported run: ${why}. Nothing was written.`,
    { why },
  );
}

/** What a new run is made of, from another's log. */
export interface CopyOptions {
  readonly runId: string;
  readonly forkedFrom?: { readonly runId: string; readonly seq: number };
  /** Whether the log comes from a file that nobody vouched for. */
  readonly isImported?: boolean;
  /** Other policies for the new run; refused where they would have changed what is copied. */
  readonly policies?: Policies;
}

/**
 * Writes a log as a new run that nobody drives, whole or not at all. It is folded first: what cannot
 * be folded is not written.
 * @throws AgentHubError `fork_diverges` where other policies would have led elsewhere,
 * `fork_under_way` where a call is approved or started: it would start a second time.
 */
export async function copyLog(
  store: RunStore,
  log: readonly LogRecord[],
  { runId, forkedFrom, isImported = false, policies }: CopyOptions,
): Promise<void> {
  const [, ...rest] = log;
  const start = startOf(log);
  const copied = {
    ...start,
    input: { ...start.input, runId, ...(policies && { policies }) },
    ...(isImported && { imported: true as const, importedRecords: log.length }),
    ...(forkedFrom && { forkedFrom, ...importedPart(start, log.length) }),
  };
  const [states, beforeCalls] = [readStates(), readLastSeq((run) => !isUnderWay(run))];
  const snapshot = await foldThrough([copied, ...rest], states, beforeCalls);
  if (policies !== undefined) await checkSameWay(log, states.told());
  if (forkedFrom !== undefined && isUnderWay(snapshot)) throw underWay(runId, beforeCalls.told());
  await store.insert([copied, ...rest], statusOf(snapshot));
}

/** A fork of an imported run is one too; what is written after the fork was made here. */
function importedPart({ importedRecords }: StartRecord, records: number): Partial<StartRecord> {
  if (importedRecords === undefined) return {};
  return { importedRecords: Math.min(importedRecords, records) };
}

/** Tells where the run stood after each record. */
function readStates(): LogReader<readonly string[]> {
  const states: string[] = [];
  return { see: ({ snapshot }) => states.push(stateOf(snapshot)), told: () => states };
}

/** Whether a call is approved and has not started, or has started and not ended. */
function isUnderWay({ context }: AgentSnapshot): boolean {
  return context.calls.some(
    ({ stage, grants }) => stage === 'running' || (stage !== 'settled' && grants.length > 0),
  );
}

/** One person's word is for one start of one call: a fork would start it a second time. */
function underWay(runId: string, seq: number): AgentHubError {
  return new AgentHubError(
    'fork_under_way',
    `The run was forked where a call is approved or under way: it would start a second time. Nothing was written. Fork before it: --at ${seq}.`,
    { runId, seq },
  );
}

async function checkSameWay(log: readonly LogRecord[], theirs: readonly string[]): Promise<void> {
  const reader = readStates();
  await foldThrough(log, reader);
  const ours = reader.told();
  const seq = ours.findIndex((state, index) => state !== theirs[index]);
  if (seq < 0) return;
  throw new AgentHubError(
    'fork_diverges',
    `Under the other policies record ${seq} would have led to ${theirs[seq]}, not ${ours[seq]}. Fork before it: --at ${Math.max(0, seq - 1)}.`,
    { seq },
  );
}
