import type { AgentContext } from '../../../machines/agent/agent.types.ts';
import type { JsonObject } from '../../../machines/vocabulary/json.ts';
import { readApproved } from '../../facts/file-read.ts';
import { loadSharp, readImage } from '../../tools/image-scaling/codec.ts';
import { formatOfName } from '../../tools/image-scaling/formats.ts';
import { asObject } from './step-rows.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const SIDE = 240;

/** The picture files of an open question, as inspected; null for none. */
interface QuestionFiles {
  readonly input: JsonObject | null;
  readonly output: JsonObject | null;
}

/** Files come from the facts of the call alone: what was inspected and nothing else. */
export function filesOf({ calls }: AgentContext, callId: string): QuestionFiles {
  const call = calls.find(({ id, stage }) => id === callId && stage === 'asked');
  const { input, output } = asObject(call?.facts?.identity ?? null);
  return { input: pictureOf(input, 'file'), output: pictureOf(output, 'existing') };
}

function pictureOf(identity: JsonObject[string] | undefined, key: string): JsonObject | null {
  const { path, [key]: file } = asObject(identity);
  const isPicture = typeof path === 'string' && formatOfName(path) !== null;
  return isPicture && file ? { path, file } : null;
}

/** A thumbnail (PNG) of a file, if it still is the one that was inspected. */
export async function thumbnail(file: JsonObject, signal: AbortSignal): Promise<Uint8Array> {
  const { content } = await readImage(await readApproved(file, { signal, maxBytes: MAX_BYTES }));
  const sharp = await loadSharp();
  return sharp(content)
    .autoOrient()
    .resize({ width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true })
    .timeout({ seconds: 10 })
    .png()
    .toBuffer();
}
