import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import sharp, { type Metadata } from 'sharp';
import type { Facts } from '../../../machines/permission/evaluate.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { createFileGuard } from '../../../src/facts/file-guard.ts';
import { createImageScaling } from '../../../src/tools/image-scaling/image-scaling.ts';
import { validateInput } from '../../../src/tools/validate-input.ts';
import { createToolContext, harmlessFacts } from '../../tools/tool-context.ts';
import type { CaseKind } from '../case-kind.ts';
import { judgeBySides } from '../judged.ts';
import { type Row, readRows } from '../rows.ts';

type Side = readonly [number, number];

interface ImageExpected {
  readonly verdict?: string;
  readonly to_width_20?: Side;
  readonly upright_size?: Side;
  readonly output_orientation_tag?: string;
  readonly jpeg_output?: string;
  readonly keep_frames_when_output_is?: readonly string[];
  readonly first_frame_when_output_is?: readonly string[];
  readonly pages?: number;
  readonly output_must_not_contain?: readonly string[];
}

interface ImageRow extends Row {
  readonly file: string | null;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly expected: ImageExpected;
  readonly want?: 'accept' | 'refuse';
}

export const images: CaseKind = {
  async run(file) {
    return judgeBySides(await readRows<ImageRow>(file), async (row) => {
      const root = await realpath(await mkdtemp(join(tmpdir(), 'agenthub-images-')));
      try {
        return await judgeImage(row, { root, folder: dirname(file) });
      } finally {
        await rm(root, { recursive: true, force: true });
      }
    });
  },
};

async function judgeImage(row: ImageRow, place: { root: string; folder: string }) {
  const { root, folder } = place;
  const { file: replaced, path, ...params } = row.params ?? { width: 20 };
  const file = typeof replaced === 'string' ? replaced : (row.file ?? '');
  await copyFile(join(folder, file), join(root, basename(file)));
  await mkdir(join(root, 'images'));
  const scale = (input: Readonly<Record<string, unknown>>) =>
    tryScaling(root, { input: path ?? basename(file), output: 'scaled.png', ...decode(input) });

  const first = await scale(params);
  const problems: string[] = [];
  if (row.want === 'accept' && first.refusal === null) {
    problems.push(...(await findProblems(row, { root, scale, original: join(root, file) })));
  }
  if (first.refusal !== null && first.wrote) problems.push('refused, but something was written');
  return {
    expected: { verdict: row.want, problems: [] },
    got: {
      verdict: first.refusal === null ? 'accept' : 'refuse',
      problems,
      ...(row.want === 'accept' && first.refusal !== null ? { refusal: first.refusal } : {}),
    },
  };
}

interface Run {
  /** The code of the refusal, or null when it was written. */
  readonly refusal: string | null;
  readonly wrote: boolean;
}

/** As an engine that grants nothing does it: validated, inspected, refused by its facts, executed. */
async function tryScaling(root: string, json: Readonly<Record<string, unknown>>): Promise<Run> {
  const files = createFileGuard({ workingFolder: root, allowed: [root], private: [] });
  const tool = createImageScaling({ files });
  const validated = await validateInput(tool, json, 'en');
  if (!validated.ok) return { refusal: validated.message, wrote: false };
  const output = join(root, validated.value.output);
  const existed = existsSync(output);
  const context = createToolContext();
  try {
    const facts = {
      ...harmlessFacts(tool.name),
      ...(await tool.inspectFacts(validated.value, context)),
    } as Facts;
    if (facts.touchesPrivate || facts.outsideAllowedArea) return { refusal: 'area', wrote: false };
    await tool.execute(validated.value, { ...context, facts });
    return { refusal: null, wrote: true };
  } catch (error) {
    if (!(error instanceof AgentHubError)) throw error;
    return { refusal: error.code, wrote: !existed && existsSync(output) };
  }
}

/** Strings in rows write characters that JSON files hold badly as escapes. */
function decode(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key,
      typeof value === 'string'
        ? value.replace(/\\u([0-9a-f]{4})/giu, (_, code) => String.fromCharCode(parseInt(code, 16)))
        : value,
    ]),
  );
}

interface Trial {
  readonly root: string;
  readonly original: string;
  readonly scale: (input: Readonly<Record<string, unknown>>) => Promise<Run>;
}

async function findProblems(row: ImageRow, trial: Trial): Promise<string[]> {
  const { expected } = row;
  const problems: string[] = [];
  const look = async (output: string, input: Readonly<Record<string, unknown>>) => {
    const { refusal } = await trial.scale({ output, ...input });
    if (refusal !== null) throw new Error(`${row.id}: ${output} was refused: ${refusal}`);
    const content = await readFile(join(trial.root, output));
    return { content, metadata: await sharp(content, { animated: true }).metadata() };
  };
  const check = (name: string, wanted: unknown, got: unknown) => {
    if (JSON.stringify(wanted) !== JSON.stringify(got)) {
      problems.push(`${name}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
    }
  };
  const sizeOf = ({ width, height, pageHeight }: Metadata) => [width, pageHeight ?? height];

  if (expected.to_width_20 !== undefined) {
    const { metadata } = await look('narrow.png', { width: 20 });
    check('to_width_20', expected.to_width_20, sizeOf(metadata));
  }
  if (expected.upright_size !== undefined) {
    const { metadata } = await look('upright.png', { width: expected.upright_size[0] });
    check('upright_size', expected.upright_size, sizeOf(metadata));
  }
  if (expected.output_orientation_tag !== undefined) {
    const { metadata } = await look('tag.jpg', { width: 20 });
    check('output_orientation_tag', 1, metadata.orientation ?? 1);
  }
  if (expected.jpeg_output !== undefined) {
    const { width } = await sharp(trial.original).metadata();
    const { content } = await look('flat.jpg', { width });
    check('jpeg_output', 'white', await findTransparentColour(trial.original, content));
  }
  for (const format of expected.keep_frames_when_output_is ?? []) {
    const { metadata } = await look(`frames.${format}`, { width: 20 });
    check(`frames in ${format}`, expected.pages, metadata.pages);
  }
  for (const format of expected.first_frame_when_output_is ?? []) {
    const { metadata } = await look(`frame.${format}`, { width: 20 });
    check(`frames in ${format}`, 1, metadata.pages ?? 1);
    const { width, height } = await sharp(trial.original).metadata();
    check(`size in ${format}`, [20, Math.round((20 * height) / width)], sizeOf(metadata));
  }
  for (const format of expected.output_must_not_contain === undefined
    ? []
    : ['jpg', 'png', 'webp']) {
    const { content, metadata } = await look(`clean.${format}`, { width: 20 });
    check(`exif in ${format}`, false, metadata.exif !== undefined);
    const found = expected.output_must_not_contain?.filter((text) => content.includes(text));
    check(`text in ${format}`, [], found);
  }
  return problems;
}

/** Whether the most transparent pixel shows white through it: `white`, or what it came to. */
async function findTransparentColour(original: string, content: Uint8Array): Promise<string> {
  const before = await sharp(original).ensureAlpha().raw().toBuffer();
  const after = await sharp(content).removeAlpha().raw().toBuffer();
  const alphas = Array.from({ length: before.length / 4 }, (_, at) => before[at * 4 + 3] ?? 0);
  const alpha = Math.min(...alphas);
  const pixel = alphas.indexOf(alpha);
  const onWhite = [...before.subarray(pixel * 4, pixel * 4 + 3)].map(
    (channel) => (channel * alpha) / 255 + 255 - alpha,
  );
  const colour = [...after.subarray(pixel * 3, pixel * 3 + 3)];
  const isClose = colour.every((channel, at) => Math.abs(channel - (onWhite[at] ?? 0)) < 32);
  return isClose ? 'white' : `${colour.join(',')} (on white: ${onWhite.map(Math.round).join(',')})`;
}
