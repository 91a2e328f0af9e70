import { z } from 'zod';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { RUN_STATUSES } from './run-status.ts';
import type { RunFilter } from './store/store.types.ts';

// What is given to the stored runs. Strict: a misspelled filter would filter nothing.

export const filterSchema: z.ZodType<RunFilter> = z.strictObject({
  status: z.enum(RUN_STATUSES).exactOptional(),
  search: z.string().exactOptional(),
  limit: z.number().int().nonnegative().exactOptional(),
});

export const deleteSchema = z.strictObject({ force: z.boolean().optional() });

export const importSchema = z.strictObject({
  newId: z.string().optional(),
  isTrusted: z.boolean().optional(),
});

/** @throws AgentHubError `invalid_export` for what is no text. */
export function parseText(text: unknown): string {
  if (typeof text === 'string') return text;
  throw new AgentHubError('invalid_export', 'An export is text: NDJSON as `export` gives it.');
}
