import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { maxSideOf } from './formats.ts';
import type { Fit, ImageFormat } from './image-scaling.types.ts';

/** How many times larger than it is a picture may become, in either direction. */
const MAX_ENLARGEMENT = 4;

/** How many pixels an output may have, all frames together. */
const MAX_OUTPUT_PIXELS = 50_000_000;

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface SizeRequest {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly fit: Fit;
  readonly format: ImageFormat;
  readonly frames: number;
}

/**
 * The size of an output. Pure. The sides that the request comes to are checked against the
 * format's and the pixel limit (throws `too_large`), and only then is an enlargement beyond
 * {@link MAX_ENLARGEMENT} cut down to it, in proportion.
 */
export function planSize(source: Size, request: SizeRequest): Size & { readonly limited: boolean } {
  const wanted = fitSize(source, request);
  requireWithinLimits(wanted, request);
  const ratios = [wanted.width / source.width, wanted.height / source.height];
  const enlargement = request.fit === 'contain' ? Math.min(...ratios) : Math.max(...ratios);
  if (enlargement <= MAX_ENLARGEMENT) return { ...wanted, limited: false };
  const factor = MAX_ENLARGEMENT / enlargement;
  return {
    width: toSide(wanted.width * factor),
    height: toSide(wanted.height * factor),
    limited: true,
  };
}

function fitSize(source: Size, { width, height, fit }: SizeRequest): Size {
  if (width !== undefined && height !== undefined) {
    if (fit !== 'inside' && fit !== 'outside') return { width, height };
    const ratios = [width / source.width, height / source.height];
    const ratio = fit === 'inside' ? Math.min(...ratios) : Math.max(...ratios);
    return { width: toSide(source.width * ratio), height: toSide(source.height * ratio) };
  }
  if (width !== undefined) {
    return { width, height: toSide((source.height * width) / source.width) };
  }
  if (height !== undefined) {
    return { width: toSide((source.width * height) / source.height), height };
  }
  return source;
}

function toSide(pixels: number): number {
  return Math.max(1, Math.round(pixels));
}

function requireWithinLimits({ width, height }: Size, { format, frames }: SizeRequest): void {
  const maxSide = maxSideOf(format);
  if (width > maxSide || height > maxSide) {
    throw new AgentHubError(
      'too_large',
      `The output would be ${width}×${height}; a side of ${format} has at most ${maxSide} pixels.`,
    );
  }
  if (width * height * frames > MAX_OUTPUT_PIXELS) {
    throw new AgentHubError(
      'too_large',
      `The output would be ${width}×${height} with ${frames} frame(s); at most ${MAX_OUTPUT_PIXELS} pixels are written.`,
    );
  }
}
