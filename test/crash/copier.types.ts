/** What a process does with a stored run. */
export type CopyKind = 'import' | 'fork' | 'remove';

/** Where a copier kills itself. */
export type DeathPoint =
  /** Within a transaction: where the store asks for the time, the nth time, counted from 1. */
  | { readonly kind: 'clock'; readonly call: number }
  /** Before or after its nth call of the store. */
  | { readonly kind: 'store'; readonly call: number; readonly when: 'before' | 'after' };

export interface CopierConfig {
  readonly database: string;
  readonly does: CopyKind;
  /** The exported run to import. */
  readonly file: string;
  readonly dieAt: DeathPoint | null;
}

/** What a copier says, a line of JSON each. */
export type CopierLine =
  | { readonly type: 'ready' }
  | {
      readonly type: 'done';
      /** Calls of the clock, and of the store, and milliseconds that it took. */
      readonly clock: number;
      readonly store: number;
      readonly ms: number;
    };

/** The ids of the run that is there, and of the one that is made of it. */
export const [SOURCE, COPY] = ['source', 'copy'];
