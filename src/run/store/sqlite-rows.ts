import type { AgentInput, PublicEvent } from '../../../machines/agent/agent.types.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { AnswerResult } from '../run.types.ts';
import { isHeld } from './store.rules.ts';
import type {
  InboxEntry,
  Lease,
  LogRecord,
  RunStatus,
  RunSummary,
  StoreErrorCode,
} from './store.types.ts';

/** Texts come as bytes: the driver aborts the process over a text that is not UTF-8. */
type Bytes = Uint8Array | ArrayBuffer;

/** A row as it is selected here: whole numbers, and texts as bytes. */
export type Row = Readonly<Record<string, Bytes | number | null>>;

const text = (column: string) => `CAST(${column} AS BLOB) AS ${column}`;
const whole = (column: string) => `CAST(${column} AS INTEGER) AS ${column}`;

/** The columns of each table, whatever a damaged file holds in them. */
export const RUN_COLUMNS = [
  ...['id', 'created_at', 'updated_at', 'records'].map(whole),
  ...['lease_token', 'lease_renewed_at', 'lease_expires_at'].map(whole),
  ...['run_id', 'status', 'lease_owner'].map(text),
].join(', ');
export const PROMPT_COLUMN = text('prompt');
export const LOG_COLUMNS = [whole('seq'), whole('at'), text('data')].join(', ');
export const INBOX_COLUMNS = [whole('id'), text('event'), text('result')].join(', ');

/** For people: what is not UTF-8 shows as such. */
export function read(bytes: Row[string] | undefined): string {
  return new TextDecoder().decode(bytes as Bytes);
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parse(bytes: Row[string] | undefined): unknown {
  return JSON.parse(strict.decode(bytes as Bytes));
}

/** Who holds a run's lease now, or null. */
export function holderOf(row: Row, now: number): Lease | null {
  if (row.lease_owner === null) return null;
  const [renewedAt, expiresAt] = [Number(row.lease_renewed_at), Number(row.lease_expires_at)];
  const token = Number(row.lease_token);
  const lease = {
    ...{ runId: read(row.run_id), owner: read(row.lease_owner) },
    ...{ token, renewedAt, expiresAt },
  };
  return isHeld(lease, now) ? lease : null;
}

/** Rows of a run's log from record `from` on, as records: all of them or none. */
export function toRecords(
  rows: readonly Row[],
  { runId, from }: { readonly runId: string; readonly from: number },
): readonly LogRecord[] {
  return rows.map((row, index) => toRecord(row, { index: from + index, runId }));
}

const DONE = 'xstate.done.actor.';
const FAILED = 'xstate.error.actor.';

/**
 * A record as it is stored, without its place: `["done", id, output]` or `["error", id, error]` of
 * an actor, `["event", event]` of anybody else, `["intent", callId, attempt]`, `["start", rest]`,
 * `["limits", limits]`.
 * Three records of four are an actor's, and say its name three times otherwise.
 */
export function encode(record: LogRecord): string {
  const { seq: _, at: __, kind, ...rest } = record;
  if (record.kind === 'start') return JSON.stringify([kind, rest]);
  if (record.kind === 'intent') return JSON.stringify([kind, record.callId, record.attempt]);
  if (record.kind === 'limits') return JSON.stringify([kind, record.limits]);
  const { type, actorId: id, output, error, ...more } = record.event;
  const isPlain = Object.keys(more).length === 0 && typeof id === 'string';
  if (isPlain && type === `${DONE}${id}` && output !== undefined && error === undefined)
    return JSON.stringify(['done', id, output]);
  if (isPlain && type === `${FAILED}${id}` && error !== undefined && output === undefined)
    return JSON.stringify(['error', id, error]);
  return JSON.stringify([kind, record.event]);
}

function decode(stored: unknown): object {
  const [kind, first, second] = stored as [string, never, unknown];
  if (kind === 'done') return eventOf({ type: `${DONE}${first}`, output: second, actorId: first });
  if (kind === 'error')
    return eventOf({ type: `${FAILED}${first}`, error: second, actorId: first });
  if (kind === 'event') return eventOf(first);
  if (kind === 'intent') return { kind, callId: first, attempt: second };
  if (kind === 'limits') return { kind, limits: first };
  return { kind, ...(first as object) };
}

const eventOf = (event: object) => ({ kind: 'event', event });

function toRecord(
  { seq, at, data }: Row,
  { index, runId }: { readonly index: number; readonly runId: string },
): LogRecord {
  if (seq !== index) throw logCorrupt(`record ${index} is missing`, { runId, seq: index });
  let record: LogRecord;
  try {
    record = { seq, at, ...decode(parse(data)) } as LogRecord;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw logCorrupt(`record ${index}: ${why}`, { runId, seq: index });
  }
  if (isRecord(record)) return record;
  throw logCorrupt(`record ${index} is not what it should be`, { runId, seq: index });
}

/** Whether what was read has the form of a record: what a damaged file holds may be anything. */
function isRecord(record: LogRecord): boolean {
  if (record.kind === 'start')
    return record.seq === 0 && typeof (record.input as AgentInput | undefined)?.runId === 'string';
  if (record.kind === 'event')
    return record.seq > 0 && typeof (record.event as { type?: unknown } | null)?.type === 'string';
  if (record.kind === 'limits') return record.seq > 0 && record.limits !== null;
  return record.kind === 'intent' && typeof record.callId === 'string';
}

/** A log that cannot be read, and what to do. */
export function logCorrupt(
  why: string,
  details: { readonly runId: string; readonly seq: number },
): AgentHubError<StoreErrorCode> {
  return new AgentHubError(
    'log_corrupt',
    `The log of run ${details.runId} cannot be read: ${why}. Nothing was changed, and other runs stay usable. Import an earlier export of this one under a new id, or start anew from its prompt.`,
    details,
  );
}

/** A run as it is listed; the prompt is empty where it could not be read. */
export function toSummary(row: Row, now: number): RunSummary {
  return {
    runId: read(row.run_id),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    status: read(row.status) as RunStatus,
    prompt: row.prompt === undefined || row.prompt === null ? '' : read(row.prompt),
    records: Number(row.records),
    drivenBy: holderOf(row, now)?.owner ?? null,
  };
}

/** An answer that waits. One that cannot be read is none of the four a driver takes. */
export function toInboxEntry(row: Row, runId: string): InboxEntry {
  const id = Number(row.id);
  try {
    return { id, runId, event: parse(row.event) as PublicEvent };
  } catch {
    return { id, runId, event: { type: 'unreadable' } as never };
  }
}

/** What became of an answer; null while it waits. */
export function toResult(row: Row | undefined): AnswerResult | null {
  if (row === undefined || row.result === null) return null;
  return parse(row.result) as AnswerResult;
}
