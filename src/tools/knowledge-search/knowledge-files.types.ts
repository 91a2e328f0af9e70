import type { JsonObject } from '../../../machines/vocabulary/json.ts';

/** A file of the knowledge folder as it was listed. */
export interface KnowledgeFile {
  /** The path below the folder, as on disk. */
  readonly file: string;
  readonly bytes: number;
  /** Whether it has further names (hard links). */
  readonly hasOtherNames: boolean;
  /** What was found, handed back to `read`; another one means another content. */
  readonly identity: JsonObject;
}

/** The knowledge folder as this tool may touch it. Private areas are never listed. */
export interface KnowledgeFiles {
  /** Whether the folder itself lies in a private area; then nothing of it is read. */
  isPrivate(): boolean;
  list(options: {
    readonly signal: AbortSignal;
    /** Whether a folder is looked into, and whether a file is wanted, by its name. */
    readonly enters: (name: string) => boolean;
    readonly takes: (name: string) => boolean;
    readonly maxDepth: number;
  }): Promise<readonly KnowledgeFile[]>;
  /** The content of a listed file, and of no other. */
  read(
    identity: JsonObject,
    options: { readonly signal: AbortSignal; readonly maxBytes: number },
  ): Promise<Uint8Array>;
}
