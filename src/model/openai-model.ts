import { setTimeout as sleep } from 'node:timers/promises';
import type OpenAI from 'openai';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type {
  ModelDelta,
  ModelErrorCode,
  ModelRequest,
  RequestRecord,
} from '../../machines/vocabulary/model.ts';
import { LONGEST_TIMER } from '../../machines/vocabulary/time.ts';
import { harmlessly } from '../support/harmlessly.ts';
import { measureRequest } from './measure-request.ts';
import type { GenerateOptions, Model } from './model.types.ts';
import { type Attempt, attemptRequest } from './openai-attempt.ts';
import { ADVICE, type Failure, failure, redact } from './openai-errors.ts';
import {
  type OpenAIModelOptions,
  type OpenAISettings,
  readOpenAIOptions,
} from './openai-options.ts';
import { toBody } from './openai-request.ts';
import { retryDelay } from './openai-retry.ts';

/**
 * A model behind an OpenAI-compatible chat completions endpoint (GLM, DeepSeek, Ollama, vLLM,
 * OpenAI …), by the `openai` package, which is loaded at the first request.
 *
 * Failures that brought no reply (connection, silence, 408, 409, 429, 5xx) are retried by this
 * client, honouring Retry-After; what fails after a reply began is not. The package's own retries
 * are off: its waiting ends neither with the signal nor at any maximum. Every HTTP attempt is in
 * `requests`, failed ones included.
 *
 * @throws AgentHubError `invalid_model_options` at once; what `generate` rejects with is
 * `AgentHubError<ModelErrorCode>`, see `Model`.
 */
export function openaiModel(options: OpenAIModelOptions): Model {
  const settings = readOpenAIOptions(options);
  const name = `${settings.model} at ${settings.url.host}`;
  let client: Promise<OpenAI> | undefined;
  return {
    name,
    async generate(request, generateOptions) {
      if (settings.needsKey && !settings.apiKey) {
        throw toError(name, failure('auth', 'no API key was given'), []);
      }
      client ??= createClient(settings);
      return generateWithRetries(
        { name, settings, client: await client },
        request,
        generateOptions,
      );
    },
  };
}

interface Endpoint {
  readonly name: string;
  readonly settings: OpenAISettings;
  readonly client: OpenAI;
}

async function generateWithRetries(
  { name, settings, client }: Endpoint,
  request: ModelRequest,
  { signal, onDelta }: GenerateOptions,
) {
  const requests: RequestRecord[] = [];
  const measured = measureRequest(request);
  const secrets = [settings.apiKey ?? '', ...Object.values(settings.headers)];
  const send = guardedSend(onDelta, signal);
  const wait = settings.wait ?? ((ms, signal) => sleep(ms, undefined, { signal }));
  for (let attempt = 0; ; attempt += 1) {
    if (signal.aborted) throw toError(name, failure('aborted', 'cancelled'), requests);
    const startedAt = performance.now();
    const body = toBody(request, settings);
    const ended = clean(
      await attemptRequest(client, body, {
        signal,
        send,
        timeout: settings.timeout,
        timers: settings.timers,
      }),
      secrets,
    );
    requests.push({
      ...measured,
      usage: ended.usage,
      error: ended.ok ? null : `${ended.failure.code}: ${ended.failure.message}`,
      ms: Math.round(performance.now() - startedAt),
    });
    if (ended.ok) return { ...ended.reply, requests };
    const delay = delayBefore(attempt, ended.failure, settings);
    if (delay === null) throw toError(name, ended.failure, requests);
    await wait(delay, signal).catch(() => {
      throw toError(name, failure('aborted', 'cancelled while waiting to retry'), requests);
    });
  }
}

function delayBefore(attempt: number, failed: Failure, settings: OpenAISettings): number | null {
  if (!failed.mayRetry || attempt >= settings.maxRetries) return null;
  return retryDelay(attempt, failed.headers, { longest: settings.maxRetryDelay, now: Date.now() });
}

function clean(attempt: Attempt, secrets: readonly string[]): Attempt {
  if (attempt.ok) return attempt;
  const message = redact(attempt.failure.message, secrets);
  return { ...attempt, failure: { ...attempt.failure, message } };
}

function toError(
  name: string,
  { code, message, retryable }: Failure,
  requests: readonly RequestRecord[],
): AgentHubError<ModelErrorCode> {
  return new AgentHubError(code, `${name}: ${message}. ${ADVICE[code]}`, {
    retryable,
    cause: `${name}: ${message}`,
    requests: requests.map(({ usage, ...record }) => ({ ...record, usage: usage && { ...usage } })),
  });
}

/** Nothing is sent once the signal has aborted, and a callback that throws harms nothing. */
function guardedSend(onDelta: GenerateOptions['onDelta'], signal: AbortSignal) {
  return (delta: ModelDelta): void => {
    if (!signal.aborted) harmlessly(() => onDelta?.(delta));
  };
}

async function createClient(settings: OpenAISettings): Promise<OpenAI> {
  const { default: Client } = await import('openai');
  const keyless = !settings.apiKey;
  return new Client({
    baseURL: settings.url.href,
    apiKey: settings.apiKey || 'none',
    // The package would read these from the environment and send them to any endpoint.
    adminAPIKey: null,
    organization: null,
    project: null,
    defaultHeaders: { ...settings.headers, ...(keyless ? { Authorization: null } : {}) },
    maxRetries: 0,
    // Silence is measured per attempt; the package's timeout ends with the headers.
    timeout: LONGEST_TIMER,
    logLevel: 'off',
    ...(settings.fetch ? { fetch: settings.fetch } : {}),
  });
}
