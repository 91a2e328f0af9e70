import type { Blow, ChildConfig } from './child.types.ts';

/** One run and everything that is done to it. */
export interface Ordeal
  extends Pick<ChildConfig, 'replies' | 'person' | 'approvalTime' | 'toolTime'> {
  /** How many processes want to drive it at any time. */
  readonly drivers: number;
  /** Each process takes those up to the next kill; the processes after the last are left alone. */
  readonly blows: readonly Blow[];
}
