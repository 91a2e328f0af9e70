import { approvalsOf, factsOf } from '../../../machines/agent/agent.calls.ts';
import type { Call } from '../../../machines/agent/agent.types.ts';
import {
  authorizationOf,
  type Consideration,
  explain,
} from '../../../machines/permission/evaluate.ts';
import type { Approval, Reason } from '../../../machines/permission/reasons.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { canonicalJson, type Json, type LocalizedText } from '../../../machines/vocabulary/json.ts';
import type { ContextNote, Outcome } from '../../../machines/vocabulary/messages.ts';
import { type AgentSnapshot, foldSteps } from '../fold.ts';
import type { LogRecord } from '../store/store.types.ts';

interface EntryPart {
  readonly seq: number;
  readonly at: number;
}

/** One thing that bore on a call. */
export type WhyEntry = EntryPart &
  (
    | { readonly kind: 'asked_for'; readonly tool: string; readonly input: Json }
    | {
        readonly kind: 'hook';
        readonly verdict: string;
        readonly reasons: readonly ContextNote[];
        /** The input as the hooks left it, or null where they left it as it was. */
        readonly newInput: Json;
      }
    | {
        readonly kind: 'decision';
        readonly action: 'allow' | 'ask' | 'deny';
        readonly facts: Json;
        /** Every rule looked at, matched or not. */
        readonly considered: readonly Consideration[];
      }
    | {
        readonly kind: 'answer';
        readonly answer: 'granted' | 'denied' | 'expired';
        readonly by: string | null;
        readonly approvals: readonly Approval[];
        readonly reason: string;
        readonly expiresAt: number | null;
      }
    | { readonly kind: 'started'; readonly attempt: number }
    | {
        readonly kind: 'settled';
        readonly outcome: Outcome;
        readonly reasons: readonly Reason[];
        readonly content: string;
      }
  );

/** Why a call came out as it did. */
export interface Explanation {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly entries: readonly WhyEntry[];
  /** What decided last: a rule, a hook, a person, or the engine. */
  readonly decidedBy: string;
  /** How it stands: an outcome, or where the call waits. */
  readonly stands: Outcome | Call['stage'];
  /** What would have to be different for it to come out otherwise. */
  readonly wouldChange: readonly LocalizedText[];
}

/**
 * Everything that bore on a call, from its run's log alone.
 * @throws AgentHubError `call_unknown` naming the calls there are.
 */
export function whyCall(log: readonly LogRecord[], callId: string): Explanation {
  const entries: WhyEntry[] = [];
  const ids = new Set<string>();
  let before: AgentSnapshot | null = null;
  let last: Call | null = null;
  let runId = '';
  for (const { record, snapshot } of foldSteps(log)) {
    runId = snapshot.context.runId;
    for (const { id } of snapshot.context.calls) ids.add(id);
    const was = findCall(before, callId);
    const is = findCall(snapshot, callId);
    entries.push(...entriesOf(record, { was, is, snapshot, callId }));
    last = is ?? last;
    before = snapshot;
  }
  if (last === null)
    throw new AgentHubError(
      'call_unknown',
      `Run ${runId} has no call ${callId}. Its calls: ${[...ids].join(', ') || 'none'}.`,
    );
  const { tool, stage } = last;
  const settled = entries.findLast((entry) => entry.kind === 'settled');
  const stands = settled?.kind === 'settled' ? settled.outcome : stage;
  const reasons = settled?.kind === 'settled' ? settled.reasons : openReasons(entries);
  return {
    runId,
    callId,
    tool,
    entries,
    stands,
    decidedBy: decidedBy(entries),
    wouldChange: wouldChange(stands, reasons, tool),
  };
}

interface Scene {
  readonly was: Call | null;
  readonly is: Call | null;
  readonly snapshot: AgentSnapshot;
  readonly callId: string;
}

function entriesOf(record: LogRecord, scene: Scene): WhyEntry[] {
  const { was, is, snapshot, callId } = scene;
  const part = { seq: record.seq, at: record.at };
  if (record.kind === 'intent')
    return record.callId === callId ? [{ ...part, kind: 'started', attempt: record.attempt }] : [];
  if (record.kind !== 'event') return [];
  const found: WhyEntry[] = [];
  const call = is ?? was;
  if (was === null && is !== null)
    found.push({ ...part, kind: 'asked_for', tool: is.tool, input: is.requestedInput });
  const { type, output } = record.event;
  const results = (output ?? {}) as Readonly<Record<string, Json>>;
  if (type === 'xstate.done.actor.preToolUse' && was?.stage === 'live')
    found.push({ ...part, ...hookEntry(results[callId], was) });
  if (type === 'xstate.done.actor.inspectFacts' && was?.stage === 'live')
    found.push(
      ...decisionEntry(results.facts, { ...scene, was }).map((entry) => ({ ...part, ...entry })),
    );
  if (was?.stage === 'asked' && is?.stage !== 'asked')
    found.push({ ...part, ...answerEntry(record.event, callId) });
  const observed = was?.result === null ? observationOf(snapshot, callId) : null;
  const result = is?.result ?? observed;
  if (call !== null && was?.result == null && result) {
    const { outcome, reasons, content } = result;
    found.push({ ...part, kind: 'settled', outcome, reasons, content });
  }
  return found;
}

function findCall(snapshot: AgentSnapshot | null, id: string): Call | null {
  return snapshot?.context.calls.find((call) => call.id === id) ?? null;
}

function observationOf({ context }: AgentSnapshot, callId: string) {
  const found = context.messages.findLast(
    (message) => message.role === 'observation' && message.callId === callId,
  );
  return found?.role === 'observation' ? found : null;
}

function hookEntry(verdict: Json | undefined, was: Call) {
  const {
    verdict: word = 'failed',
    reasons = [],
    input = null,
  } = (verdict ?? {}) as {
    verdict?: string;
    reasons?: readonly ContextNote[];
    input?: Json;
  };
  const isSame = canonicalJson(input) === canonicalJson(was.input);
  return { kind: 'hook', verdict: word, reasons, newInput: isSame ? null : input } as const;
}

function decisionEntry(facts: Json | undefined, { was, snapshot, callId }: Scene & { was: Call }) {
  const found = (facts as Readonly<Record<string, { ok?: boolean; facts?: Json }>> | undefined)?.[
    callId
  ];
  if (found?.ok !== true) return [];
  const call = { ...was, facts: found.facts as never };
  const considered = explain(
    factsOf(call, call.facts),
    authorizationOf(approvalsOf(call)),
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
      facts: found.facts ?? null,
      considered,
    } as const,
  ];
}

function answerEntry(event: Readonly<Record<string, unknown>>, callId: string) {
  const isGrant = event.type === 'permission.grant';
  const isAnswer = isGrant || event.type === 'permission.deny';
  const isMine = isAnswer && event.callId === callId;
  return {
    kind: 'answer',
    answer: !isMine ? 'expired' : isGrant ? 'granted' : 'denied',
    by: typeof event.by === 'string' ? event.by : null,
    approvals: isMine && isGrant ? (event.approvals as readonly Approval[]) : [],
    reason: typeof event.reason === 'string' ? event.reason : '',
    expiresAt: typeof event.expiresAt === 'number' ? event.expiresAt : null,
  } as const;
}

/** The reasons that hold while a call waits. */
function openReasons(entries: readonly WhyEntry[]): readonly Reason[] {
  const decision = entries.findLast((entry) => entry.kind === 'decision');
  if (decision?.kind !== 'decision') return [];
  return decision.considered.flatMap(({ matched, lifted, reason }) =>
    matched && !lifted && reason !== null ? [reason] : [],
  );
}

function decidedBy(entries: readonly WhyEntry[]): string {
  const settled = entries.findLast((entry) => entry.kind === 'settled');
  if (settled?.kind === 'settled') {
    const [first] = settled.reasons;
    if (first?.source === 'person') {
      const answer = entries.findLast((entry) => entry.kind === 'answer');
      return `person: ${answer?.kind === 'answer' ? (answer.by ?? '') : ''}`;
    }
    if (first?.source === 'hook') return `hook: ${first.en}`;
    if (first?.source === 'engine') return `engine: ${first.code}`;
    if (settled.outcome === 'unknown_tool' || settled.outcome === 'invalid_arguments')
      return `engine: ${settled.outcome}`;
  }
  const decision = entries.findLast((entry) => entry.kind === 'decision');
  if (decision?.kind !== 'decision') return 'nothing yet';
  const deciding = decision.considered.filter(
    ({ action, matched, lifted }) => action === decision.action && matched && !lifted,
  );
  const lifted = decision.considered.filter((one) => one.matched && one.lifted);
  const rules = (deciding.length > 0 ? deciding : lifted).map(({ rule }) => rule);
  return rules.length > 0 ? rules.join(', ') : 'no rule objects';
}

const CHANGES = {
  tool_not_covered: {
    zh: '在 permissions.policies 里给这个工具一条策略',
    en: 'A policy for the tool in permissions.policies',
  },
  touches_private: {
    zh: '只有改动私有区域的配置；没有批准能解除',
    en: 'Only another configuration of the private areas; no approval lifts it',
  },
  hook: { zh: '钩子给出别的结论', en: 'Another verdict of the hook' },
  person: { zh: '有人批准', en: "A person's approval" },
  engine: {
    zh: '在期限内的答复，或能查明的事实',
    en: 'An answer in time, or facts that can be looked up',
  },
  unknown_tool: { zh: '调用一个存在的工具', en: 'A call of a tool that exists' },
  invalid_arguments: { zh: '符合工具要求的参数', en: 'Arguments that fit the tool' },
  allowed: { zh: '一条禁止或要求询问的策略', en: 'A policy that denies it or asks' },
} as const satisfies Record<string, LocalizedText>;

function wouldChange(
  stands: Explanation['stands'],
  reasons: readonly Reason[],
  tool: string,
): readonly LocalizedText[] {
  if (stands === 'unknown_tool' || stands === 'invalid_arguments') return [CHANGES[stands]];
  if (reasons.length === 0) return [CHANGES.allowed];
  const changes = reasons.map(({ code, source, approval }): LocalizedText => {
    if (approval !== null)
      return { zh: `批准 ${approval}（${tool}）`, en: `Approval of ${approval} for ${tool}` };
    if (code === 'tool_not_covered' || code === 'touches_private') return CHANGES[code];
    return source === 'rule'
      ? { zh: '改动策略里的这条规则', en: 'Another rule in the policy' }
      : CHANGES[source];
  });
  return [...new Map(changes.map((change) => [change.en, change])).values()];
}
