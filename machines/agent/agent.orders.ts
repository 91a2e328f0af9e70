import { APPROVALS, type Approval } from '../permission/reasons.ts';
import type { Grant, Limits, PublicEvent } from './agent.types.ts';
import type { Question } from './agent.view.ts';
import { fieldsOf, isCount, listOf, oneOf, reading, required, timeOf } from './reading.ts';

type GrantEvent = Extract<PublicEvent, { type: 'permission.grant' }>;
type DenyEvent = Extract<PublicEvent, { type: 'permission.deny' }>;

/** Who answers a question, and when. */
export interface Answerer {
  /** Such as `terminal` or a person's name. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The event that approves a question: without `approvals`, all that is missing; without `expiresAt`
 * (milliseconds since the epoch), until the call starts. It holds for what the question showed.
 */
export function grantOf(
  { callId, missing, shown }: Pick<Question, 'callId' | 'missing' | 'shown'>,
  {
    by,
    at,
    approvals = missing,
    expiresAt = null,
  }: Answerer & {
    readonly approvals?: readonly Approval[] | undefined;
    readonly expiresAt?: number | null | undefined;
  },
): GrantEvent {
  return { type: 'permission.grant', callId, approvals: [...approvals], shown, by, at, expiresAt };
}

/** The event that denies a question; the reason goes to the model and may be left out. */
export function denialOf(
  { callId }: Pick<Question, 'callId'>,
  { by, at, reason = '' }: Answerer & { readonly reason?: string | undefined },
): DenyEvent {
  return { type: 'permission.deny', callId, reason, by, at };
}

// What people and hosts send, read. Hosts that drive the actor themselves may send any object; what has
// not the form of an order is an order for nothing, and never breaks a guard.

/** An approval, or null when it is none: who gives it, for what, and until when must be plain. */
export function readGrant(event: unknown): (Grant & { readonly callId: string }) | null {
  return reading(() => {
    const { callId, approvals, shown, by, at, expiresAt = null } = fieldsOf(event);
    required(typeof callId === 'string' && typeof shown === 'string' && typeof by === 'string');
    const given = listOf(approvals).map((approval): Approval => oneOf(approval, APPROVALS));
    return {
      callId: callId as string,
      approvals: [...new Set(given)],
      shown: shown as string,
      by: by as string,
      at: timeOf(at),
      expiresAt: expiresAt === null ? null : timeOf(expiresAt),
    };
  }, null);
}

/** A denial. A no stands even when its reason or its time cannot be read. */
export function readDenial(event: unknown) {
  const fields = reading(() => fieldsOf(event), {});
  const { callId, reason } = fields;
  return {
    callId: typeof callId === 'string' ? callId : '',
    reason: typeof reason === 'string' ? reason : '',
    at: reading(() => timeOf(fields.at), 0),
  };
}

/** Limits that have the form of limits: counts, and null where there may be none. */
export function readResumption(event: unknown): { limits: Partial<Limits>; at: number } {
  const fields = reading(() => fieldsOf(event), {});
  const given = reading(() => fieldsOf(fields.limits), {});
  const mayBeNone = ['tokens', 'time', 'approvalDeadline'];
  const limits = Object.entries(given).filter(
    ([name, value]) => isCount(value) || (value === null && mayBeNone.includes(name)),
  );
  return { limits: Object.fromEntries(limits), at: reading(() => timeOf(fields.at), 0) };
}
