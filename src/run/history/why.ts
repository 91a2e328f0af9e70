import {
  readInspection,
  readPreToolVerdicts,
  readToolOutput,
} from '../../../machines/agent/agent.answers.ts';
import { factsOf, shownOf } from '../../../machines/agent/agent.calls.ts';
import { readGrant } from '../../../machines/agent/agent.orders.ts';
import type { Call } from '../../../machines/agent/agent.types.ts';
import { matchesTool } from '../../../machines/agent/matcher.ts';
import { authorizationOf, explain } from '../../../machines/permission/evaluate.ts';
import type { Reason } from '../../../machines/permission/reasons.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { canonicalJson } from '../../../machines/vocabulary/json.ts';
import type { CallMessage, Message } from '../../../machines/vocabulary/messages.ts';
import type { AgentSnapshot, FoldStep, LogReader } from '../fold.ts';
import type { LogRecord } from '../store/store.types.ts';
import type { ConsideredGrant, Explanation, WhyEntry } from './why.types.ts';
import { deciderOf, wouldChange } from './why-words.ts';

/**
 * Tells everything that bore on a call, from its run's log alone.
 * @throws AgentHubError when told: `call_unknown` naming the calls there are.
 */
export function readWhy(callId: string): LogReader<Explanation> {
  const entries: WhyEntry[] = [];
  const ids = new Set<string>();
  let last: Pick<Call, 'tool' | 'stage'> | null = null;
  let run: AgentSnapshot | null = null;

  const see = ({ record, before, snapshot }: FoldStep) => {
    run = snapshot;
    const fresh = newCalls(before, snapshot);
    for (const { id } of [...snapshot.context.calls, ...fresh]) ids.add(id);
    const [was, is] = [findCall(before, callId), findCall(snapshot, callId)];
    entries.push(...entriesOf(record, { was, is, before, snapshot, callId }));
    last = is ?? last;
    const passing = last === null ? fresh.find(({ id }) => id === callId) : undefined;
    if (passing === undefined) return;
    entries.push(...passingEntries(record, passing, snapshot));
    last = { tool: passing.tool, stage: 'settled' };
  };

  const told = (): Explanation => {
    const runId = run?.context.runId ?? '';
    if (last === null)
      throw new AgentHubError(
        'call_unknown',
        `Run ${runId} has no call ${callId}. Its calls: ${[...ids].join(', ') || 'none'}.`,
        { runId, callId, calls: [...ids] },
      );
    const { tool, stage } = last;
    const settled = entries.findLast((entry) => entry.kind === 'settled');
    const isOpen = findCall(run, callId)?.result === null;
    const end = settled?.kind === 'settled' && !isOpen ? settled : null;
    const stands = end?.outcome ?? stage;
    const decider = deciderOf(isOpen ? entries.filter(({ kind }) => kind !== 'settled') : entries);
    return {
      runId,
      callId,
      tool,
      entries,
      stands,
      decidedBy: decider.en,
      decider,
      wouldChange: wouldChange(stands, end?.reasons ?? openReasons(entries), {
        tool,
        isLifted: isLifted(entries),
      }),
    };
  };
  return { see, told };
}

interface Scene {
  readonly was: Call | null;
  readonly is: Call | null;
  readonly before: AgentSnapshot | null;
  readonly snapshot: AgentSnapshot;
  readonly callId: string;
}

function entriesOf(record: LogRecord, scene: Scene): WhyEntry[] {
  const { was, is, before, snapshot, callId } = scene;
  const part = { seq: record.seq, at: record.at };
  if (record.kind === 'intent')
    return record.callId === callId ? [{ ...part, kind: 'started', attempt: record.attempt }] : [];
  if (record.kind !== 'event') return [];
  const found: WhyEntry[] = [];
  const call = is ?? was;
  if (was === null && is !== null)
    found.push({ ...part, kind: 'asked_for', tool: is.tool, input: is.requestedInput });
  const { type, output } = record.event;
  if (type === 'xstate.done.actor.preToolUse' && was?.stage === 'live')
    found.push({ ...part, ...hookEntry(output, { ...scene, was }) });
  if (type === 'xstate.done.actor.inspectFacts' && was?.stage === 'live')
    found.push(...decisionEntry(output, { ...scene, was }).map((entry) => ({ ...part, ...entry })));
  if (was?.stage === 'asked' && is?.stage !== 'asked')
    found.push({ ...part, ...answerEntry(record.event, callId) });
  if (type === `xstate.done.actor.tool.${callId}` && was !== null)
    if (readToolOutput(output).outcome === 'unknown')
      found.push({ ...part, kind: 'lost', attempt: was.starts });
  const observed =
    was?.result === null ? observationOf(newMessages(before, snapshot), callId) : null;
  const result = is?.result ?? observed;
  if (call !== null && was?.result == null && result) {
    const { outcome, reasons, content } = result;
    found.push({ ...part, kind: 'settled', outcome, reasons, content });
  }
  return found;
}

/** Calls that a record brought into the conversation. */
function newCalls(before: AgentSnapshot | null, snapshot: AgentSnapshot): CallMessage[] {
  return newMessages(before, snapshot).flatMap((message) =>
    message.role === 'assistant' ? message.calls : [],
  );
}

function newMessages(before: AgentSnapshot | null, { context }: AgentSnapshot): readonly Message[] {
  return before === null ? [] : context.messages.slice(before.context.messages.length);
}

/** A call that came and was settled in one step, such as one of a tool that there is not. */
function passingEntries(
  { seq, at }: LogRecord,
  { id, tool, input }: CallMessage,
  { context }: AgentSnapshot,
): WhyEntry[] {
  const asked: WhyEntry = { seq, at, kind: 'asked_for', tool, input };
  const observed = observationOf(context.messages, id);
  if (observed === null) return [asked];
  const { outcome, reasons, content } = observed;
  return [asked, { seq, at, kind: 'settled', outcome, reasons, content }];
}

function findCall(snapshot: AgentSnapshot | null, id: string): Call | null {
  return snapshot?.context.calls.find((call) => call.id === id) ?? null;
}

function observationOf(messages: readonly Message[], callId: string) {
  const found = messages.findLast(
    (message) => message.role === 'observation' && message.callId === callId,
  );
  return found?.role === 'observation' ? found : null;
}

function hookEntry(output: unknown, { was, snapshot, callId }: Scene & { was: Call }) {
  const verdicts = readPreToolVerdicts(output);
  const found = Object.hasOwn(verdicts, callId) ? verdicts[callId] : undefined;
  const { verdict: word = 'failed', reasons = [], input = null } = found ?? {};
  const isSame = canonicalJson(input) === canonicalJson(was.input);
  const hooks = snapshot.context.hooks
    .filter(({ event, matcher }) => event === 'PreToolUse' && matchesTool(matcher, was.tool))
    .map(({ name }) => name);
  return { kind: 'hook', verdict: word, reasons, newInput: isSame ? null : input, hooks } as const;
}

function decisionEntry(output: unknown, { was, snapshot, callId }: Scene & { was: Call }) {
  const { at, facts } = readInspection(output);
  const found = Object.hasOwn(facts, callId) ? facts[callId] : undefined;
  if (found?.ok !== true) return [];
  const call = { ...was, facts: found.facts };
  const shown = shownOf(call);
  const grants = was.grants.map(({ shown: given, ...grant }): ConsideredGrant => {
    const isLate = grant.expiresAt !== null && grant.expiresAt <= at;
    return { ...grant, stands: given !== shown ? 'changed' : isLate ? 'expired' : 'holds' };
  });
  const approvals = grants
    .filter(({ stands }) => stands === 'holds')
    .flatMap((grant) => grant.approvals);
  const considered = explain(
    factsOf(call, call.facts),
    authorizationOf(approvals),
    snapshot.context.policies,
  );
  const holding = considered.filter(({ matched, lifted }) => matched && !lifted);
  const action = (['deny', 'ask'] as const).find((word) =>
    holding.some((one) => one.action === word),
  );
  return [
    {
      kind: 'decision',
      action: action ?? 'allow',
      facts: found.facts,
      considered,
      grants,
    } as const,
  ];
}

function answerEntry(event: Readonly<Record<string, unknown>>, callId: string) {
  const isGrant = event.type === 'permission.grant';
  const isAnswer = isGrant || event.type === 'permission.deny';
  const isMine = isAnswer && event.callId === callId;
  const other = event.type === 'run.cancel' ? 'cancelled' : 'expired';
  return {
    kind: 'answer',
    answer: !isMine ? other : isGrant ? 'granted' : 'denied',
    by: typeof event.by === 'string' ? event.by : null,
    approvals: isMine && isGrant ? (readGrant(event)?.approvals ?? []) : [],
    reason: typeof event.reason === 'string' ? event.reason : '',
    expiresAt: typeof event.expiresAt === 'number' ? event.expiresAt : null,
  } as const;
}

/** Whether an approval made the last decision what it is. */
function isLifted(entries: readonly WhyEntry[]): boolean {
  const decision = entries.findLast((entry) => entry.kind === 'decision');
  return decision?.kind === 'decision' && decision.considered.some(({ lifted }) => lifted);
}

/** The reasons that hold while a call waits. */
function openReasons(entries: readonly WhyEntry[]): readonly Reason[] {
  const decision = entries.findLast((entry) => entry.kind === 'decision');
  if (decision?.kind !== 'decision') return [];
  return decision.considered.flatMap(({ matched, lifted, reason }) =>
    matched && !lifted && reason !== null ? [reason] : [],
  );
}
