import type { Facts } from '../../../machines/permission/evaluate.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { JsonObject } from '../../../machines/vocabulary/json.ts';
import { DEFAULT_TOOL_TIMEOUT, defineTool } from '../define-tool.ts';
import type { Tool, ToolContext } from '../tool.types.ts';
import { planScale, readImage, type ScalePlan, type SourceImage, scaleImage } from './codec.ts';
import { formatOfName } from './formats.ts';
import type {
  FileInspection,
  ImageFiles,
  ImageScalingInput,
  ImageService,
  ScaledImage,
} from './image-scaling.types.ts';
import { imageScalingInput } from './input.ts';
import { askService } from './service.ts';
import { acceptImage } from './service-picture.ts';
import { describeScaling } from './texts.ts';

/** The largest input, in bytes, and by default the largest answer of a service. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/** How long a service may take by default, in milliseconds. */
const DEFAULT_SERVICE_TIMEOUT = 30_000;

export interface ImageScalingOptions {
  readonly files: ImageFiles;
  /** Scales through this service; in this process when left out. */
  readonly service?: ImageService;
  /** Milliseconds; {@link DEFAULT_TOOL_TIMEOUT} by default. */
  readonly timeout?: number;
}

/**
 * Scales a picture file into another. What was inspected before the decision is what is read and
 * replaced: facts carry the identities of both files, and every access is checked against them.
 */
export function createImageScaling(options: ImageScalingOptions): Tool<ImageScalingInput> {
  return defineTool<ImageScalingInput>({
    name: 'image_scaling',
    description: {
      zh: '把一张图片缩放后写到另一个文件，例如 {"input":"a.jpg","output":"b.webp","width":320}。宽和高至少给出一个；只给一个时按比例算出另一个。支持 JPEG、PNG、WebP、GIF、AVIF，输出格式由扩展名决定；最多放大 4 倍。',
      en: 'Scales a picture and writes it to another file, such as {"input":"a.jpg","output":"b.webp","width":320}. Give width, height or both; the missing one follows from the proportions. JPEG, PNG, WebP, GIF and AVIF; the extension of the output decides its format; enlarges at most 4 times.',
    },
    input: imageScalingInput,
    timeout: options.timeout ?? DEFAULT_TOOL_TIMEOUT,
    inspectFacts: (input, { signal }) => inspect(options, input, signal),
    async execute(input, context) {
      const identity = readIdentity(context.facts);
      const { signal, locale } = context;
      const content = await options.files.read(identity.input, {
        signal,
        maxBytes: MAX_INPUT_BYTES,
      });
      const source = await readImage(content);
      const plan = planScale(source, {
        width: input.width,
        height: input.height,
        fit: input.fit ?? 'inside',
        format: requireFormat(input),
      });
      const scaled =
        options.service === undefined
          ? await scaleImage(source, plan, signal)
          : await scaleByService(options.service, { source, plan }, context);
      signal.throwIfAborted();
      await options.files.write(identity.output, scaled.content, {
        signal,
        overwrite: context.facts.outputExists,
      });
      return describeScaling(input, { source, scaled, locale });
    },
  });
}

async function inspect(
  { files, service }: ImageScalingOptions,
  input: ImageScalingInput,
  signal: AbortSignal,
): Promise<Partial<Facts>> {
  const source = await files.inspect(input.input, 'read');
  const target = await files.inspect(input.output, 'write');
  // Before anything that could tell what exists in a private area.
  if (source.touchesPrivate || target.touchesPrivate) return { touchesPrivate: true };
  const read = requireIdentity(source);
  const written = requireIdentity(target);
  requireDifferent(read, written);
  const found = await service?.services.inspect(service.url, { signal });
  return {
    outsideAllowedArea: source.outsideAllowedArea || target.outsideAllowedArea,
    serviceAllowed: found?.allowed ?? true,
    outputExists: target.exists,
    identity: { input: read, output: written, service: found?.origin ?? null },
  };
}

function requireIdentity({ problem, identity }: FileInspection): JsonObject {
  if (problem !== null)
    throw new AgentHubError(problem.code, problem.message, problem.details as JsonObject);
  if (identity !== null) return identity;
  throw new AgentHubError('invalid_path', 'The path could not be inspected.');
}

function requireDifferent(read: JsonObject, written: JsonObject): void {
  const file = read.file as JsonObject | null;
  const existing = written.existing as JsonObject | null;
  const isSameInode =
    existing !== null && existing?.ino === file?.ino && existing?.dev === file?.dev;
  if (read.path !== written.path && !isSameInode) return;
  throw new AgentHubError(
    'same_file',
    'The input and the output are the same file; give the output another name.',
  );
}

function readIdentity({ identity }: Facts): {
  readonly input: JsonObject;
  readonly output: JsonObject;
} {
  const { input, output } = identity ?? {};
  if (isObject(input) && isObject(output)) return { input, output };
  throw new AgentHubError(
    'identity_invalid',
    'The facts of this call do not say which files were inspected; nothing was touched.',
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function requireFormat({ output }: ImageScalingInput): ScalePlan['format'] {
  const format = formatOfName(output);
  if (format !== null) return format;
  throw new AgentHubError('invalid_path', 'The extension of the output names no picture format.');
}

async function scaleByService(
  service: ImageService,
  work: { readonly source: SourceImage; readonly plan: ScalePlan },
  context: ToolContext & { readonly facts: Facts },
): Promise<ScaledImage> {
  const { source, plan } = work;
  const { signal, idempotencyKey, facts } = context;
  const found = await service.services.inspect(service.url, { signal });
  const address = found.addresses[0];
  if (found.origin !== facts.identity?.service || address === undefined) {
    throw new AgentHubError(
      'service_changed',
      'The image service is not the one that was inspected; call again.',
    );
  }
  const content = await askService({
    url: service.url,
    address,
    image: source.content,
    mediaType: `image/${source.format}`,
    params: { width: plan.width, height: plan.height, fit: plan.fit, format: plan.format },
    idempotencyKey,
    timeout: service.timeout ?? DEFAULT_SERVICE_TIMEOUT,
    maxBytes: service.maxBytes ?? MAX_INPUT_BYTES,
    signal,
  });
  return acceptImage(content, plan, signal);
}
