import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import {
  encodeImage,
  type OutputOptions,
  readImage,
  type ScalePlan,
  type SourceImage,
} from './codec.ts';
import { isLosslessWebp } from './formats.ts';
import type { ScaledImage } from './image-scaling.types.ts';

/**
 * Encodes so that a picture encoded before looks the same: without loss where its format can. (PNG
 * would take a quality for a wish to have fewer colours.)
 */
function sameLook({ format, content }: SourceImage): OutputOptions {
  if (format === 'png') return {};
  if (format === 'gif') return { reuse: false, dither: 0 };
  return format === 'webp' && isLosslessWebp(content) ? { lossless: true } : { quality: 95 };
}

/**
 * Takes a picture that a service made, of the planned format and size, as its pixels only: it is
 * decoded whole and encoded anew, so that nothing it carries beside the picture (metadata, text,
 * bytes behind it) is written, whatever its format. Throws `service_bad_image`.
 */
export async function acceptImage(
  content: Uint8Array,
  plan: ScalePlan,
  signal: AbortSignal,
): Promise<ScaledImage> {
  const image = await readImage(content).catch((error: unknown) => {
    throw badImage(error instanceof Error ? error.message : String(error));
  });
  if (image.format !== plan.format) throw badImage(`it is ${image.format}, not ${plan.format}`);
  const isClose = (a: number, b: number) => Math.abs(a - b) <= 1;
  if (!isClose(image.width, plan.width) || !isClose(image.height, plan.height)) {
    throw badImage(`it is ${image.width}×${image.height}, not ${plan.width}×${plan.height}`);
  }
  const { width, height } = image;
  const frames = plan.frames > 1 ? image.frames : 1;
  const exact = { ...plan, width, height, frames, fit: 'fill' as const };
  const work = encodeImage(image, { plan: exact, output: sameLook(image) }, signal);
  return work.catch((error: unknown) => {
    signal.throwIfAborted();
    throw badImage(error instanceof Error ? error.message : String(error));
  });
}

function badImage(text: string): AgentHubError {
  return new AgentHubError(
    'service_bad_image',
    `The image service did not answer with the picture that was asked for: ${text}`,
  );
}
