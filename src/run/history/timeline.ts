import { stateOf } from '../../../machines/agent/agent.view.ts';
import type { Json } from '../../../machines/vocabulary/json.ts';
import type { LogReader } from '../fold.ts';
import type { LogRecord } from '../store/store.types.ts';

/** One record of a log as a person reads it. */
export interface TimelineEntry {
  readonly seq: number;
  readonly at: number;
  /** Milliseconds since the record before. */
  readonly after: number;
  /** What happened, in the words of the chart: `done: callModel`, `permission.grant 1.0`, `start`. */
  readonly what: string;
  /** Where the run stands after it. */
  readonly state: string;
  /** The record's own data. */
  readonly data: Json;
}

/** Tells a log as a timeline, an entry per record. */
export function readTimeline(): LogReader<readonly TimelineEntry[]> {
  const entries: TimelineEntry[] = [];
  return {
    see: ({ record, snapshot }) => {
      const { seq, at } = record;
      const after = at - (entries.at(-1)?.at ?? at);
      const [what, state, data] = [whatOf(record), stateOf(snapshot), dataOf(record)];
      entries.push({ seq, at, after, what, state, data });
    },
    told: () => entries,
  };
}

function whatOf(record: LogRecord): string {
  if (record.kind === 'start' || record.kind === 'limits') return record.kind;
  if (record.kind === 'intent') return `intent ${record.callId} (attempt ${record.attempt})`;
  const { type, callId } = record.event;
  const port = /^xstate\.(done|error)\.actor\.(.+)$/u.exec(type);
  if (port !== null) return `${port[1]}: ${port[2]}`;
  return typeof callId === 'string' ? `${type} ${callId}` : type;
}

function dataOf(record: LogRecord): Json {
  if (record.kind === 'start') return record.input as unknown as Json;
  if (record.kind === 'limits') return record.limits as unknown as Json;
  if (record.kind === 'intent') return { callId: record.callId, attempt: record.attempt };
  return record.event;
}
