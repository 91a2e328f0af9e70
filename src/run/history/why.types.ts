import type { Call } from '../../../machines/agent/agent.types.ts';
import type { Consideration } from '../../../machines/permission/evaluate.ts';
import type { Approval, Reason } from '../../../machines/permission/reasons.ts';
import type { Json, LocalizedText } from '../../../machines/vocabulary/json.ts';
import type { ContextNote, Outcome } from '../../../machines/vocabulary/messages.ts';

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
        /** Every hook that the call concerned, those without an opinion too. */
        readonly hooks: readonly string[];
      }
    | {
        readonly kind: 'decision';
        readonly action: 'allow' | 'ask' | 'deny';
        readonly facts: Json;
        /** Every rule looked at, matched or not. */
        readonly considered: readonly Consideration[];
        /** Every approval given so far, and whether it counted. */
        readonly grants: readonly ConsideredGrant[];
      }
    | {
        readonly kind: 'answer';
        readonly answer: 'granted' | 'denied' | 'expired' | 'cancelled';
        readonly by: string | null;
        readonly approvals: readonly Approval[];
        readonly reason: string;
        readonly expiresAt: number | null;
      }
    | { readonly kind: 'started'; readonly attempt: number }
    /** A start that left no result: whoever drove the run was gone before it ended. */
    | { readonly kind: 'lost'; readonly attempt: number }
    | {
        readonly kind: 'settled';
        readonly outcome: Outcome;
        readonly reasons: readonly Reason[];
        readonly content: string;
      }
  );

/** An approval as a decision looked at it. */
export interface ConsideredGrant {
  readonly by: string;
  readonly at: number;
  readonly approvals: readonly Approval[];
  readonly expiresAt: number | null;
  /** `changed`: what it was given for is no longer so. `expired`: it came too late. */
  readonly stands: 'holds' | 'changed' | 'expired';
}

/** Why a call came out as it did. */
export interface Explanation {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly entries: readonly WhyEntry[];
  /** What decided last: a rule, a hook, a person, or the engine. */
  readonly decidedBy: string;
  /** The same in words. */
  readonly decider: LocalizedText;
  /** How it stands: an outcome, or where the call waits. */
  readonly stands: Outcome | Call['stage'];
  /** What would have to be different for it to come out otherwise. */
  readonly wouldChange: readonly LocalizedText[];
}
