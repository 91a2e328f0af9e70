import type { Message, Outcome } from '../../machines/vocabulary/messages.ts';
import { foldLog } from '../../src/run/fold.ts';
import type { LogRecord } from '../../src/run/store/store.types.ts';
import { type PlannedCall, plannedCalls, TOOLS } from './calls.ts';
import type { ChildLine, Effect } from './child.types.ts';
import type { Ordeal } from './ordeal.types.ts';

/** What an ordeal left. */
export interface Leavings {
  /** What each process said. */
  readonly said: readonly (readonly ChildLine[])[];
  readonly log: readonly LogRecord[];
  readonly effects: readonly Effect[];
  /** How many answers nobody has dealt with. */
  readonly pending: number;
}

/** What can become of a handle that did not drive the run to its end: another had it. */
const LOST = ['lease_lost', 'run_exists'];

/** Everything that must hold whatever was done to a run: what is wrong, in words. */
export function judge(left: Leavings, ordeal: Ordeal): readonly string[] {
  const { messages } = foldLog(left.log).context;
  const planned = plannedCalls(ordeal.replies);
  return [
    ...judgeEnd(left, { messages, planned }),
    ...left.said.flatMap((lines) => judgeAcknowledged(lines, left.log)),
    ...left.effects.flatMap((effect) => judgeEffect(effect, planned)),
    ...planned.flatMap((call) => judgeCall(call, { left, ordeal, messages })),
  ];
}

interface Planned {
  readonly messages: readonly Message[];
  readonly planned: readonly PlannedCall[];
}

function judgeEnd({ said, log, pending }: Leavings, { messages, planned }: Planned): string[] {
  const { rest } = foldLog(log).context;
  const lines = said.flat();
  const ends = lines.filter((line) => line.type === 'ended');
  const problems: string[] = [];
  if (ends.length === 0) return ['the run did not end'];
  if (rest?.status !== 'done') problems.push(`the log ends ${rest?.status}`);
  for (const end of ends) {
    if (end.status !== 'done') problems.push(`it ended ${end.status}`);
    if (end.messages !== null && JSON.stringify(messages) !== JSON.stringify(end.messages))
      problems.push('the outcome is not what the log folds to');
  }
  for (const line of lines)
    if (line.type === 'lost' && !LOST.includes(line.code))
      problems.push(`a handle ended as ${line.code}: ${line.message}`);
  const observed = messages.flatMap((entry) =>
    entry.role === 'observation' ? [entry.callId] : [],
  );
  if (observed.join() !== planned.map(({ callId }) => callId).join())
    problems.push(`observations: ${observed.join()}`);
  if (pending > 0) problems.push(`${pending} answers wait for ever`);
  return problems;
}

/** What was acknowledged is in the log, where it was said to be; so is each answer, once. */
function judgeAcknowledged(lines: readonly ChildLine[], log: readonly LogRecord[]): string[] {
  const stored = log.flatMap((record) => (record.kind === 'event' ? [record.event] : []));
  const isLost = (line: ChildLine): boolean => {
    if (line.type === 'acked')
      return line.events.some((type, index) => stored[line.base + index]?.type !== type);
    if (line.type !== 'answered') return false;
    const found = stored.filter(({ by, callId }) => by === line.by && callId === line.callId);
    return found.length !== 1;
  };
  return lines.filter(isLost).map((line) => `lost although told: ${JSON.stringify(line)}`);
}

function judgeEffect(effect: Effect, planned: readonly PlannedCall[]): string[] {
  const { callId, attempt, text, isOnRecord } = effect;
  const call = planned.find((one) => one.callId === callId);
  const problems: string[] = [];
  if (!isOnRecord) problems.push(`${callId} started without an intent on record (${attempt})`);
  if (call?.text !== text || call.tool !== effect.tool)
    problems.push(`${callId} started as ${effect.tool} with ${text}`);
  return problems;
}

interface Found {
  readonly left: Leavings;
  readonly ordeal: Ordeal;
  readonly messages: readonly Message[];
}

/** A call starts once for each approval, or once where none is needed; a safe one as often as it likes. */
function judgeCall({ callId, tool, text }: PlannedCall, found: Found): string[] {
  const { left, ordeal, messages } = found;
  const { policy, safeToRepeat, refused } = TOOLS[tool];
  const starts = left.effects.filter((effect) => effect.callId === callId);
  const keys = new Set(starts.map(({ idempotencyKey }) => idempotencyKey));
  const grants = grantsOf(callId, left.log);
  const observation = messages.find(
    (entry) => entry.role === 'observation' && entry.callId === callId,
  );
  const outcome = observation?.role === 'observation' ? observation.outcome : null;
  const most = policy === 'ask' ? grants.length : grants.length + 1;
  const problems: string[] = [];
  const wrong = (what: string) => problems.push(`${callId} ${tool}: ${what}`);
  if (refused !== null && starts.length > 0) wrong('started although refused');
  if (!safeToRepeat && starts.length > most)
    wrong(`${starts.length} starts, ${grants.length} approvals`);
  if (!safeToRepeat && keys.size < starts.length) wrong('started twice under one key');
  if (safeToRepeat && grants.some((approvals) => approvals.includes('repeat')))
    wrong('a repeat that is safe was asked about');
  if (policy === 'ask' && starts.length > 0 && grants.length === 0) wrong('nobody approved it');
  if (outcome === null || !endings(tool, ordeal).includes(outcome)) wrong(`ended ${outcome}`);
  if (outcome === 'ok' && starts.length === 0) wrong('is ok without an effect');
  if (outcome === 'unknown' && !isIntended(callId, left.log)) wrong('is unknown without an intent');
  if (outcome === 'ok' && !JSON.stringify(observation).includes(`did ${text}`))
    wrong('its result is not what the tool answered');
  return problems;
}

const isIntended = (callId: string, log: readonly LogRecord[]): boolean =>
  log.some((record) => record.kind === 'intent' && record.callId === callId);

/** What each grant of a call approved. */
function grantsOf(callId: string, log: readonly LogRecord[]): readonly (readonly string[])[] {
  return log.flatMap((record) =>
    record.kind === 'event' &&
    record.event.type === 'permission.grant' &&
    record.event.callId === callId
      ? [record.event.approvals as readonly string[]]
      : [],
  );
}

/** How a call of a tool may end. Not gone on with after a start that left no result, it is unknown. */
function endings(tool: PlannedCall['tool'], { person, approvalTime }: Ordeal): readonly Outcome[] {
  const { policy, safeToRepeat, refused } = TOOLS[tool];
  if (refused !== null) return [refused];
  const mayEnd = approvalTime !== null && (policy === 'ask' || !safeToRepeat);
  const mayStay = !safeToRepeat && (person === 'denies repeats' || approvalTime !== null);
  return ['ok', ...(mayEnd ? ['expired' as const] : []), ...(mayStay ? ['unknown' as const] : [])];
}
