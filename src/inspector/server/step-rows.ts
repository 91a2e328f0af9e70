import type { Json, JsonObject } from '../../../machines/vocabulary/json.ts';
import type { RequestRecord } from '../../../machines/vocabulary/model.ts';
import type { EventRecord } from '../../run/store/store.types.ts';
import type { StepRow } from '../api.types.ts';
import type { FoldedStep } from './fold-run.ts';

type Telling = Pick<StepRow, 'kind' | 'what' | 'failed' | 'callId' | 'ms' | 'tokens'>;

const HOOKS: Readonly<Record<string, string>> = {
  userPromptSubmit: 'UserPromptSubmit',
  preToolUse: 'PreToolUse',
  postToolUse: 'PostToolUse',
  stop: 'Stop',
};

/** A record as a row of the timeline. `steps` are all up to it; it is the last. */
export function toRow(steps: readonly FoldedStep[], index: number): StepRow {
  const step = steps[index] as FoldedStep;
  const { record, state, transitions } = step;
  return { seq: record.seq, at: record.at, state, transitions, ...tell(steps, index) };
}

function tell(steps: readonly FoldedStep[], index: number): Telling {
  const step = steps[index] as FoldedStep;
  const { record } = step;
  const plain = { ms: null, failed: false, callId: null, tokens: null };
  if (record.kind === 'start') return { ...plain, kind: 'engine', what: 'start' };
  if (record.kind === 'intent') {
    const { callId, attempt } = record;
    return { ...plain, kind: 'engine', what: `intent ${callId} (${attempt})`, callId };
  }
  const { type } = record.event;
  const callId = typeof record.event.callId === 'string' ? record.event.callId : null;
  const port = /^xstate\.(done|error)\.actor\.(.+)$/u.exec(type);
  if (port === null) return { ...plain, ...tellPerson(record, callId), ms: waited(step, type) };
  const [, end, name = ''] = port;
  if (name.startsWith('tool.')) return tellTool(steps, index, name.slice('tool.'.length));
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

function tellTool(steps: readonly FoldedStep[], index: number, callId: string): Telling {
  const { record } = steps[index] as FoldedStep;
  const output = asObject((record as EventRecord).event.output);
  let started = index;
  while (started > 0 && !isIntent(steps[started] as FoldedStep, callId)) started -= 1;
  const from = started > 0 ? (steps[started] as FoldedStep) : steps[index - 1];
  const call = from?.context.calls.find(({ id }) => id === callId);
  return {
    kind: 'tool',
    what: `${call?.tool ?? 'tool'} ${callId}`,
    callId,
    ms:
      started > 0 || typeof output.ms !== 'number' ? record.at - (from?.record.at ?? 0) : output.ms,
    failed: output.outcome !== 'ok',
    tokens: null,
  };
}

function isIntent({ record }: FoldedStep, callId: string): boolean {
  return record.kind === 'intent' && record.callId === callId;
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
  const { requests } = { ...asObject(details), ...asObject(reply) };
  return Array.isArray(requests) ? (requests as unknown as RequestRecord[]) : [];
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
