/** Where a child stops and waits to be killed. */
export type StopPoint =
  /** At its nth write to the store, counted from 1. */
  | { readonly kind: 'write'; readonly write: number; readonly when: 'before' | 'after' }
  | { readonly kind: 'state'; readonly state: string }
  /** In the tool, before or after it takes effect. */
  | { readonly kind: 'tool'; readonly text: string; readonly when: 'before' | 'after' };

export interface ChildConfig {
  readonly database: string;
  /** Where the tool takes effect: a line per start. */
  readonly effects: string;
  readonly runId: string;
  readonly safeToRepeat: boolean;
  /** Who answers: the child itself, granting or denying a repeat, or nobody in this process. */
  readonly person: 'grants' | 'denies repeats' | 'nobody';
  readonly stopAt: StopPoint | null;
}

/** What a child says, a line of JSON each. */
export type ChildLine =
  | { readonly type: 'ready' }
  | { readonly type: 'stopped' }
  /** Acknowledged: the events up to here, those of earlier processes not among them. */
  | { readonly type: 'acked'; readonly base: number; readonly events: readonly string[] }
  /** It waits for answers, and the inbox is empty. */
  | { readonly type: 'asking' }
  | {
      readonly type: 'ended';
      readonly status: string;
      readonly messages: readonly unknown[];
      readonly writes: number;
      readonly states: readonly string[];
    };
