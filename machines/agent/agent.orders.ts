import { APPROVALS, type Approval } from '../permission/reasons.ts';
import type { Grant, Limits } from './agent.types.ts';
import { fieldsOf, isCount, listOf, oneOf, reading, required, timeOf } from './reading.ts';

// What people and hosts send. Hosts that drive the actor themselves may send any object; what has
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
