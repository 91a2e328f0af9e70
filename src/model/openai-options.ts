import { z } from 'zod';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { JsonObject } from '../../machines/vocabulary/json.ts';
import { LONGEST_TIMER } from '../../machines/vocabulary/time.ts';
import type { Timers } from '../support/abort.ts';

/** Base URLs as their makers document them. */
export const PRESETS = {
  glm: 'https://open.bigmodel.cn/api/paas/v4/',
  deepseek: 'https://api.deepseek.com/v1/',
  ollama: 'http://localhost:11434/v1/',
  openai: 'https://api.openai.com/v1/',
} as const;

/** Where a model is, and how it is asked. */
export interface OpenAIModelOptions {
  /** The model's name at the endpoint, such as `glm-4.6`. */
  readonly model: string;
  /** A known endpoint. Default `openai`; `baseURL` goes before it. */
  readonly preset?: keyof typeof PRESETS;
  /** Any OpenAI-compatible endpoint, such as a vLLM server's `http://host:8000/v1`. */
  readonly baseURL?: string;
  /** Sent as a Bearer token. Without one no Authorization header is sent. Never read from the environment. */
  readonly apiKey?: string;
  /** Further headers, such as a gateway's. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds of silence, before the first byte and between two. Default 300 000. */
  readonly timeout?: number;
  /** Retries after failures that brought no reply. Default 2. */
  readonly maxRetries?: number;
  /** A longer Retry-After than this, in milliseconds, is not waited for. Default 60 000. */
  readonly maxRetryDelay?: number;
  /** Whether replies are streamed. Default true. */
  readonly stream?: boolean;
  /** Whether to ask for usage in streams (`stream_options`). Default true; some endpoints refuse it. */
  readonly streamUsage?: boolean;
  /** Whether stop sequences are sent. Default true; some models refuse them. */
  readonly sendStop?: boolean;
  /** Further properties of the request's body, such as `temperature` or `thinking`. */
  readonly extraBody?: JsonObject;
  /** Stands in for the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Stands in for the timer between retries. Rejects when `signal` aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Stand in for the timers that `timeout` is measured with. */
  readonly timers?: Timers;
}

const OWN_PROPERTIES = ['model', 'messages', 'tools', 'stream'];

const optionsSchema = z.strictObject({
  model: z.string().trim().min(1),
  preset: z.enum(['glm', 'deepseek', 'ollama', 'openai']).default('openai'),
  baseURL: z
    .string()
    .optional()
    .refine((url) => url === undefined || isPlainUrl(url), {
      message: 'must be an http or https URL without credentials',
    }),
  apiKey: z.string().optional(),
  headers: z.record(z.string(), z.string()).default({}),
  timeout: z.number().int().min(1).max(LONGEST_TIMER).default(300_000),
  maxRetries: z.number().int().min(0).max(20).default(2),
  maxRetryDelay: z.number().int().min(0).max(LONGEST_TIMER).default(60_000),
  stream: z.boolean().default(true),
  streamUsage: z.boolean().default(true),
  sendStop: z.boolean().default(true),
  extraBody: z
    .record(z.string(), z.unknown())
    .default({})
    .refine((body) => OWN_PROPERTIES.every((name) => !(name in body)), {
      message: `must not set ${OWN_PROPERTIES.join(', ')}`,
    }),
  fetch: z.custom<typeof globalThis.fetch>((value) => typeof value === 'function').optional(),
  wait: z
    .custom<NonNullable<OpenAIModelOptions['wait']>>((value) => typeof value === 'function')
    .optional(),
  timers: z.custom<Timers>((value) => typeof value === 'object' && value !== null).optional(),
});

export type OpenAISettings = z.output<typeof optionsSchema> & {
  readonly url: URL;
  /** Whether the endpoint is known to refuse requests without a key. */
  readonly needsKey: boolean;
};

/**
 * Checks the options and fills in defaults.
 *
 * @throws AgentHubError `invalid_model_options`, naming the property and what is allowed.
 */
export function readOpenAIOptions(options: OpenAIModelOptions): OpenAISettings {
  const checked = optionsSchema.safeParse(options);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    const where = issue?.path.join('.') || 'options';
    throw new AgentHubError(
      'invalid_model_options',
      `openaiModel: ${where}: ${issue?.message ?? 'invalid'}`,
    );
  }
  const { baseURL, preset } = checked.data;
  return {
    ...checked.data,
    url: new URL(baseURL ?? PRESETS[preset]),
    needsKey: baseURL === undefined && preset !== 'ollama',
  };
}

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/u.test(url.protocol) && url.username === '' && url.password === '';
}
