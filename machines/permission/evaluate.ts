import type { JsonObject } from '../vocabulary/json.ts';

/** What a call touches, looked up by trusted code just before the decision. JSON only. */
export interface Facts {
  readonly toolName: string;
  readonly touchesPrivate: boolean;
  readonly outsideAllowedArea: boolean;
  readonly serviceAllowed: boolean;
  readonly outputExists: boolean;
  /** Identity of what was inspected (device, inode, size, mtime …): a change voids an approval. */
  readonly identity: JsonObject | null;
}
