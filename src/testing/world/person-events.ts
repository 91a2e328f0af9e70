import { decide, missingApprovals, shownOf } from '../../../machines/agent/agent.calls.ts';
import type { Call } from '../../../machines/agent/agent.types.ts';
import { APPROVALS, type Approval } from '../../../machines/permission/reasons.ts';
import type { AgentSnapshot, World, WorldEvent } from './world.types.ts';

/** Everything that people may do. */
export function personEvents(world: World, snapshot: AgentSnapshot): WorldEvent[] {
  const { context } = snapshot;
  const asked = context.calls.filter(({ stage }) => stage === 'asked');
  const answers = asked.flatMap((question) => [
    ...world.grants.flatMap((kind) => grantOf(kind, question, snapshot)),
    {
      type: 'permission.deny',
      label: `person denies ${question.id}`,
      callId: question.id,
      reason: 'no',
      by: 'person',
      at: snapshot.context.clock.at,
    },
  ]);
  const stray = world.strayAnswers ? strayAnswers(snapshot) : [];
  return [...answers, ...stray, ...resumeEvents(world, snapshot)];
}

function grantOf(
  kind: World['grants'][number],
  question: Call,
  snapshot: AgentSnapshot,
): WorldEvent[] {
  const missing = missingApprovals(decide(question, snapshot.context.policies));
  if (kind === 'partial' && missing.length < 2) return [];
  const approvals: readonly Approval[] = kind === 'partial' ? missing.slice(0, 1) : missing;
  return [
    {
      type: 'permission.grant',
      label: `person grants ${question.id} (${kind})`,
      callId: question.id,
      approvals,
      shown: shownOf(question),
      by: 'person',
      at: snapshot.context.clock.at,
      expiresAt: endOf(kind, snapshot),
    },
  ];
}

function endOf(kind: World['grants'][number], { context }: AgentSnapshot): number | null {
  if (kind === 'expired') return context.clock.at;
  return kind === 'brief' ? context.clock.at + 1 : null;
}

/** Answers that must change nothing: for another call, for what is not missing, for something else. */
function strayAnswers(snapshot: AgentSnapshot): WorldEvent[] {
  const at = snapshot.context.clock.at;
  const part = { type: 'permission.grant', by: 'person', at, expiresAt: null } as const;
  const grants = snapshot.context.calls.flatMap((known) => {
    const needless = needlessApproval(known, snapshot);
    const stale = {
      ...part,
      label: `stray: stale grant ${known.id}`,
      callId: known.id,
      approvals: ['use'],
      shown: 'something else',
    };
    if (needless === undefined) return [stale];
    const label = `stray: grant of nothing missing ${known.id}`;
    return [
      stale,
      { ...part, label, callId: known.id, approvals: [needless], shown: shownOf(known) },
    ];
  });
  const deny = { type: 'permission.deny', reason: '', by: 'person', at };
  const resume = {
    type: 'run.resume',
    label: 'stray: resume of nothing',
    limits: {},
    by: 'person',
    at,
  };
  return [
    ...grants,
    { ...deny, label: 'stray: deny of no call', callId: '9.9' },
    ...(snapshot.context.rest === null ? [resume] : []),
  ];
}

/** An approval that a call does not need, if there is one. */
function needlessApproval(call: Call, { context }: AgentSnapshot): Approval | undefined {
  if (call.stage !== 'asked') return 'use';
  const missing = missingApprovals(decide(call, context.policies));
  return (['use', ...APPROVALS] as const).find((approval) => !missing.includes(approval));
}

function resumeEvents({ raisedLimits }: World, { context }: AgentSnapshot): WorldEvent[] {
  if (raisedLimits === null || context.rest?.status !== 'suspended') return [];
  return [
    {
      type: 'run.resume',
      label: 'person resumes',
      limits: raisedLimits,
      by: 'person',
      at: context.clock.at,
    },
  ];
}
