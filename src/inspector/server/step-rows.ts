import { readFailedRequests } from '../../../machines/agent/agent.answers.ts';
import type { Json, JsonObject } from '../../../machines/vocabulary/json.ts';
import type { RequestRecord } from '../../../machines/vocabulary/model.ts';
import type { EventRecord } from '../../run/store/store.types.ts';
import type { StepRow } from '../api.types.ts';
import type { FoldedStep, StepPair } from './fold-run.ts';

type Telling = Pick<StepRow, 'kind' | 'what' | 'failed' | 'callId' | 'ms' | 'tokens'>;

const HOOKS: Readonly<Record<string, string>> = {
  userPromptSubmit: 'UserPromptSubmit',
  preToolUse: 'PreToolUse',
  postToolUse: 'PostToolUse',
  stop: 'Stop',
};

/** The latest start of a call that a log tells of. */
interface Started {
  readonly at: number;
  readonly tool: string | undefined;
}

/** Tells the records of a log, each in turn, as rows of the timeline. */
export function rowTeller(): (pair: StepPair) => StepRow {
  const started = new Map<string, Started>();
  return (pair) => {
    const { record, state, transitions, context } = pair.step;
    if (record.kind === 'intent') {
      const call = context.calls.find(({ id }) => id === record.callId);
      started.set(record.callId, { at: record.at, tool: call?.tool });
    }
    return { seq: record.seq, at: record.at, state, transitions, ...tell(pair, started) };
  };
}

function tell(pair: StepPair, started: ReadonlyMap<string, Started>): Telling {
  const { step } = pair;
  const { record } = step;
  const plain = { ms: null, failed: false, callId: null, tokens: null };
  if (record.kind === 'start' || record.kind === 'limits')
    return { ...plain, kind: 'engine', what: record.kind };
  if (record.kind === 'intent') {
    const { callId, attempt } = record;
    return { ...plain, kind: 'engine', what: `intent ${callId} (${attempt})`, callId };
  }
  const { type } = record.event;
  const callId = typeof record.event.callId === 'string' ? record.event.callId : null;
  const port = /^xstate\.(done|error)\.actor\.(.+)$/u.exec(type);
  if (port === null) return { ...plain, ...tellPerson(record, callId), ms: waited(step, type) };
  const [, end, name = ''] = port;
  if (name.startsWith('tool.')) {
    const id = name.slice('tool.'.length);
    return tellTool(record, { callId: id, before: pair.before, started: started.get(id) });
  }
  const told = { ...plain, ms: record.at - step.enteredAt, failed: end === 'error' };
  if (name === 'callModel')
    return { ...told, kind: 'model', what: name, tokens: tokensOf(requestsOf(record)) };
  const hook = HOOKS[name];
  if (hook !== undefined)
    return { ...told, kind: 'hook', what: hook, failed: told.failed || hasFailed(record) };
  if (name === 'approvalDeadline')
    return { ...told, kind: 'person', what: 'nobody answered in time', failed: true };
  const isMalformed = asObject(record.event.output).kind === 'malformed';
  return { ...told, kind: 'engine', what: name, failed: told.failed || isMalformed };
}

function tellPerson(record: EventRecord, callId: string | null) {
  const words: Readonly<Record<string, string>> = {
    'permission.grant': 'granted',
    'permission.deny': 'denied',
    'run.cancel': 'cancelled',
    'run.resume': 'resumed',
  };
  const { type, by } = record.event;
  const word = words[type] ?? type;
  const who = typeof by === 'string' ? ` · ${by}` : '';
  return {
    kind: words[type] === undefined ? 'engine' : 'person',
    what: `${callId === null ? word : `${word} ${callId}`}${who}`,
    callId,
  } as const;
}

function waited(step: FoldedStep, type: string): number | null {
  return type.startsWith('permission.') ? step.record.at - step.enteredAt : null;
}

interface ToolStart {
  readonly callId: string;
  readonly before: FoldedStep | null;
  readonly started: Started | undefined;
}

function tellTool({ at, event }: EventRecord, { callId, before, started }: ToolStart): Telling {
  const output = asObject(event.output);
  const call = before?.context.calls.find(({ id }) => id === callId);
  const since = started?.at ?? before?.record.at ?? 0;
  return {
    kind: 'tool',
    what: `${started?.tool ?? call?.tool ?? 'tool'} ${callId}`,
    callId,
    ms: started === undefined && typeof output.ms === 'number' ? output.ms : at - since,
    // A start that did not come about is no failure of its tool: the call is decided on again.
    failed: output.outcome !== 'ok' && output.outcome !== 'not_started',
    tokens: null,
  };
}

function hasFailed({ event }: EventRecord): boolean {
  const output = asObject(event.output);
  return [output, ...Object.values(output)].some((part) => {
    const { verdict, faults } = asObject(part);
    return verdict === 'failed' || (Array.isArray(faults) && faults.length > 0);
  });
}

function requestsOf({ event }: EventRecord): readonly RequestRecord[] {
  const { reply } = asObject(event.output);
  const { details } = asObject(event.error);
  return readFailedRequests({ ...asObject(details), ...asObject(reply) });
}

function tokensOf(requests: readonly RequestRecord[]): StepRow['tokens'] {
  if (requests.length === 0) return null;
  const sum = (field: 'inputTokens' | 'outputTokens') =>
    requests.every(({ usage }) => usage !== null)
      ? requests.reduce((total, { usage }) => total + (usage?.[field] ?? 0), 0)
      : 'unknown';
  return { input: sum('inputTokens'), output: sum('outputTokens') };
}

export function asObject(value: Json | undefined): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : {};
}
