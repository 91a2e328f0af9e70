import type { LocalizedText } from './json.ts';

/** What a person can approve, one word each; see `Authorization` for the flag it sets. */
export const APPROVALS = ['outside', 'service', 'overwrite', 'use', 'hook', 'repeat'] as const;

/** One of them. */
export type Approval = (typeof APPROVALS)[number];

/** Why a call is asked about or refused: a code, its text in both languages, who says so. */
export interface Reason extends LocalizedText {
  readonly code: string;
  /** `rule`: a policy; `hook`: a PreToolUse hook; `person`: an answer; `engine`: the chart itself. */
  readonly source: 'rule' | 'hook' | 'person' | 'engine';
  /** The approval that removes this reason, or null when nothing does. */
  readonly approval: Approval | null;
}
