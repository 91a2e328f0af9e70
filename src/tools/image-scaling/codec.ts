import type { GifOptions, Metadata, SharpOptions, WebpOptions } from 'sharp';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { orAborted } from '../../support/abort.ts';
import { isAnimated, sniffFormat } from './formats.ts';
import type { Fit, ImageFormat, ScaledImage, ScalingNote } from './image-scaling.types.ts';
import { mendJpeg } from './jpeg.ts';
import { planSize, type Size } from './size.ts';

/** How many pixels an input may have, all frames that are read together. */
const MAX_INPUT_PIXELS = 100_000_000;

/** Seconds until native work that nobody waits for any more gives up. */
const NATIVE_TIMEOUT = 50;

const WHITE = { r: 255, g: 255, b: 255, alpha: 1 };
const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };

/** Loaders that read files of their own, run scripts, or are not needed here. */
const BLOCKED = [
  'VipsForeignLoadSvg',
  'VipsForeignLoadTiff',
  'VipsForeignLoadPdf',
  'VipsForeignLoadMagick',
  'VipsForeignLoadMagick7',
  'VipsForeignLoadOpenslide',
  'VipsForeignLoadOpenexr',
  'VipsForeignLoadJxl',
  'VipsForeignLoadJp2k',
  'VipsForeignLoadUhdr',
  'VipsForeignLoadDcRaw',
  'VipsForeignLoadFits',
  'VipsForeignLoadNifti',
  'VipsForeignLoadMat',
  'VipsForeignLoadAnalyze',
  'VipsForeignLoadRad',
  'VipsForeignLoadPpm',
  'VipsForeignLoadCsv',
  'VipsForeignLoadMatrix',
  'VipsForeignLoadVips',
];

type SharpModule = typeof import('sharp').default;

let loading: Promise<SharpModule> | null = null;

/**
 * Sharp, loaded on first use and set up once for this process: risky loaders blocked, and no
 * cache of decoded pictures, which untrusted input would only fill. Its threads stay as sharp
 * chooses them (one per picture with glibc's allocator).
 */
export function loadSharp(): Promise<SharpModule> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: BLOCKED });
    sharp.cache(false);
    return sharp;
  });
  return loading;
}

/** A picture that may be scaled. */
export interface SourceImage extends Size {
  readonly content: Uint8Array;
  readonly format: ImageFormat;
  readonly frames: number;
  readonly metadata: Metadata;
}

/**
 * Reads what a file says it is, by its content. `width` and `height` are those of the upright
 * picture. Throws `not_an_image`, `damaged` or `too_large`.
 */
export async function readImage(given: Uint8Array): Promise<SourceImage> {
  if (given.byteLength === 0) throw new AgentHubError('not_an_image', 'The file is empty.');
  const format = sniffFormat(given);
  if (format === null) {
    throw new AgentHubError(
      'not_an_image',
      'The file is not a JPEG, PNG, WebP, GIF or AVIF picture, whatever its name says; nothing else is read.',
    );
  }
  const sharp = await loadSharp();
  const content = format === 'jpeg' ? mendJpeg(given) : given;
  const metadata = await sharp(content, INPUT_OPTIONS).metadata().catch(explain);
  const { width, height } = metadata.autoOrient;
  // Pages of other formats are pictures side by side, not in time.
  const frames = format === 'gif' || format === 'webp' ? (metadata.pages ?? 1) : 1;
  return { content, format, width, height, frames, metadata };
}

const INPUT_OPTIONS: SharpOptions = {
  limitInputPixels: MAX_INPUT_PIXELS,
  failOn: 'warning',
};

export interface ScaleRequest {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly fit: Fit;
  readonly format: ImageFormat;
}

/** What a request comes to for one picture: size, frames, and what a person should know. */
export interface ScalePlan extends Size {
  readonly fit: Fit;
  readonly format: ImageFormat;
  readonly frames: number;
  readonly notes: readonly ScalingNote[];
}

/** Plans a scaling. Pure. Throws `too_large`. */
export function planScale(source: SourceImage, request: ScaleRequest): ScalePlan {
  const { metadata } = source;
  const isTurned = (metadata.orientation ?? 1) > 1;
  const keepsFrames = request.format === 'gif' || request.format === 'webp';
  const frames = keepsFrames && !isTurned ? source.frames : 1;
  if (metadata.width * metadata.height * frames > MAX_INPUT_PIXELS) {
    throw new AgentHubError(
      'too_large',
      `The picture has ${frames} frames of ${metadata.width}×${metadata.height}; at most ${MAX_INPUT_PIXELS} pixels are read.`,
    );
  }
  const { limited, ...size } = planSize(source, { ...request, frames });
  const notes: readonly (readonly [ScalingNote, boolean])[] = [
    ['enlargement_limited', limited],
    ['first_frame_only', frames === 1 && (source.frames > 1 || isAnimated(source))],
    ['reduced_to_8_bit', metadata.depth === 'ushort'],
    ['transparency_on_white', metadata.hasAlpha && request.format === 'jpeg'],
  ];
  return {
    ...size,
    fit: request.fit,
    format: request.format,
    frames,
    notes: notes.filter(([, applies]) => applies).map(([note]) => note),
  };
}

/**
 * Scales in this process: upright, in sRGB, without metadata. Rejects as soon as `signal` aborts;
 * native work cannot be stopped, so it ends on its own and its result is dropped.
 */
export async function scaleImage(
  source: SourceImage,
  plan: ScalePlan,
  signal: AbortSignal,
): Promise<ScaledImage> {
  return encodeImage(source, { plan, output: {} }, signal);
}

/** As {@link scaleImage}, encoded as `output` says. Throws `damaged` or `too_large`. */
export async function encodeImage(
  source: SourceImage,
  { plan, output }: { readonly plan: ScalePlan; readonly output: OutputOptions },
  signal: AbortSignal,
): Promise<ScaledImage> {
  signal.throwIfAborted();
  const sharp = await loadSharp();
  const opaque = plan.format === 'jpeg';
  const exact = plan.fit === 'cover' || plan.fit === 'contain' ? plan.fit : 'fill';
  let pipeline = sharp(source.content, { ...INPUT_OPTIONS, animated: plan.frames > 1 });
  if ((source.metadata.orientation ?? 1) > 1) pipeline = pipeline.autoOrient();
  pipeline = pipeline.resize({
    width: plan.width,
    height: plan.height,
    fit: exact,
    background: opaque ? WHITE : TRANSPARENT,
  });
  if (opaque) pipeline = pipeline.flatten({ background: WHITE });
  const work = pipeline
    .timeout({ seconds: NATIVE_TIMEOUT })
    .toFormat(plan.format, output)
    .toBuffer({ resolveWithObject: true });
  const { data, info } = await orAborted(work, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return explain(error);
  });
  const frames = info.pages ?? 1;
  return {
    content: data,
    width: info.width,
    height: info.pageHeight ?? info.height,
    format: plan.format,
    frames,
    notes: plan.notes,
  };
}

/** How a picture is encoded; as the encoder sees fit by default. */
export type OutputOptions = Pick<
  WebpOptions & GifOptions,
  'quality' | 'lossless' | 'reuse' | 'dither'
>;

function explain(error: unknown): never {
  if (error instanceof Error && /pixel limit/u.test(error.message)) {
    throw new AgentHubError(
      'too_large',
      `The picture has more than ${MAX_INPUT_PIXELS} pixels, the most that is read.`,
      undefined,
      error,
    );
  }
  // Libvips reports with plain errors; anything else is passed on.
  if (!(error instanceof Error) || error.name !== 'Error') throw error;
  throw new AgentHubError(
    'damaged',
    `The picture is damaged or not complete: ${error.message.split('\n')[0]}`,
    undefined,
    error,
  );
}
