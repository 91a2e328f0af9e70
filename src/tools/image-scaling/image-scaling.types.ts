import type { ErrorData } from '../../../machines/vocabulary/errors.ts';
import type { JsonObject } from '../../../machines/vocabulary/json.ts';

/** What a path is, looked up without opening it. */
export interface FileInspection {
  readonly touchesPrivate: boolean;
  readonly outsideAllowedArea: boolean;
  readonly exists: boolean;
  /** Why the path cannot be used, in words for the model. */
  readonly problem: ErrorData | null;
  /** What was inspected; handed back to `read` or `write`. */
  readonly identity: JsonObject | null;
}

/** The file system as this tool may touch it: only what was inspected, only as inspected. */
export interface ImageFiles {
  inspect(path: string, operation: 'read' | 'write'): Promise<FileInspection>;
  read(
    identity: JsonObject,
    options: { readonly signal: AbortSignal; readonly maxBytes: number },
  ): Promise<Uint8Array>;
  write(
    identity: JsonObject,
    content: Uint8Array,
    options: { readonly signal: AbortSignal; readonly overwrite: boolean },
  ): Promise<void>;
}

/** An address that was checked; the only one to connect to. */
export interface CheckedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Which services may be used. `inspect` throws for one that never is. */
export interface ImageServices {
  inspect(
    url: string,
    options: { readonly signal: AbortSignal },
  ): Promise<{
    readonly allowed: boolean;
    readonly origin: string;
    readonly addresses: readonly CheckedAddress[];
  }>;
}

/** An external service that scales instead of this process. */
export interface ImageService {
  /** Set by the operator; nothing that a model says changes it. */
  readonly url: string;
  readonly services: ImageServices;
  /** Milliseconds for the whole exchange; 30,000 by default. */
  readonly timeout?: number;
  /** Bytes of the answer; as many as an input may have by default. */
  readonly maxBytes?: number;
}

/** The picture formats that are read and written. */
export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif';

export type Fit = 'inside' | 'outside' | 'cover' | 'contain' | 'fill';

/** The input of `image_scaling`. */
export interface ImageScalingInput {
  readonly input: string;
  readonly output: string;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly fit?: Fit | undefined;
  readonly format?: ImageFormat | undefined;
}

/** Something about a result that a person would want to know. */
export type ScalingNote =
  | 'enlargement_limited'
  | 'first_frame_only'
  | 'reduced_to_8_bit'
  | 'transparency_on_white';

export interface ScaledImage {
  readonly content: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly format: ImageFormat;
  readonly frames: number;
  readonly notes: readonly ScalingNote[];
}
