import type { ModelErrorCode } from '../../machines/vocabulary/model.ts';

/** Why one attempt gave no reply. */
export interface Failure {
  readonly code: ModelErrorCode;
  /** What was wrong, as far as the endpoint said; redacted and short. */
  readonly message: string;
  /** Whether asking again later may help. */
  readonly retryable: boolean;
  /** Whether this client may ask again by itself: nothing of a reply had arrived. */
  readonly mayRetry: boolean;
  /** Response headers, for Retry-After. */
  readonly headers: Headers | null;
}

const RETRYABLE: Readonly<Record<ModelErrorCode, boolean>> = {
  auth: false,
  rate_limit: true,
  context_length: false,
  unavailable: true,
  bad_request: false,
  bad_response: true,
  aborted: false,
};

const CONTEXT_LENGTH =
  /context[ _-]?(length|window|size)|maximum context|prompt (is )?too long|too many (input )?tokens|exceeds? (the )?max(imum)? (length|tokens)|(超过|超出).{0,12}(长度|上限|最大)|输入.{0,8}过长/iu;
const QUOTA = /insufficient[_ ](quota|balance)|exceeded your current quota|余额不足|欠费|arrears/iu;
const RATE = /rate[_ -]?limit|too many requests|速率|频率|并发/iu;
const OVERLOADED = /overloaded|unavailable|繁忙|try again later/iu;

/** A failure with the usual answer to whether it can be retried. */
export function failure(
  code: ModelErrorCode,
  message: string,
  more: { readonly mayRetry?: boolean; readonly headers?: Headers | null } = {},
): Failure {
  return {
    code,
    message,
    retryable: RETRYABLE[code],
    mayRetry: more.mayRetry ?? false,
    headers: more.headers ?? null,
  };
}

/**
 * Classifies an HTTP status and the error the endpoint sent with it. Status codes follow OpenAI's;
 * 402 (DeepSeek: no balance) is `auth`, an exhausted quota is `rate_limit` without a retry of ours.
 */
export function statusFailure(status: number, said: string, headers: Headers | null): Failure {
  const message = `HTTP ${status}${said === '' ? '' : `: ${said}`}`;
  const told = headers?.get('x-should-retry');
  const again = { headers, mayRetry: told !== 'false' };
  if (status === 401 || status === 402 || status === 403) return failure('auth', message);
  if (status === 413) return failure('context_length', message);
  if (status === 429) {
    return failure('rate_limit', message, QUOTA.test(said) ? { headers } : again);
  }
  if (status === 408 || status === 409 || status >= 500) {
    return failure('unavailable', message, again);
  }
  if (CONTEXT_LENGTH.test(said)) return failure('context_length', message);
  if (status >= 400) return failure('bad_request', message);
  return failure('bad_response', message);
}

/** Classifies an error that came in the body of a response with status 200. */
export function bodyFailure(error: unknown): Failure {
  const said = describeError(error);
  const message = `the endpoint answered with an error: ${said}`;
  if (CONTEXT_LENGTH.test(said)) return failure('context_length', message);
  if (QUOTA.test(said) || RATE.test(said)) return failure('rate_limit', message);
  if (OVERLOADED.test(said)) return failure('unavailable', message);
  return failure('bad_response', message);
}

/** The words of an endpoint's `error` property, whatever its shape. */
export function describeError(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return '';
  const { code, type, message } = error as Record<string, unknown>;
  const words = [code ?? type, message]
    .filter((word) => (typeof word === 'string' && word !== '') || typeof word === 'number')
    .map(String);
  return words.length > 0 ? words.join(': ') : (JSON.stringify(error) ?? '');
}

const LONGEST_MESSAGE = 500;

/** Takes keys out of a text and shortens it: endpoints echo what they were sent. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length > 3) clean = clean.replaceAll(secret, '***');
  }
  clean = clean
    .replace(/\b(Bearer\s+)\S+/giu, '$1***')
    .replace(/\bsk-[\w*-]{4,}/gu, '***')
    .replace(/\s+/gu, ' ')
    .trim();
  return clean.length > LONGEST_MESSAGE ? `${clean.slice(0, LONGEST_MESSAGE)}…` : clean;
}

/** What a person can do about each kind. */
export const ADVICE: Readonly<Record<ModelErrorCode, string>> = {
  auth: 'Check the API key, the account and the base URL.',
  rate_limit: 'Wait, or check the quota of the account.',
  context_length: 'Shorten the conversation or use a model with a larger context.',
  unavailable: 'Check the connection and the endpoint.',
  bad_request: 'Check the model name, the base URL and extraBody.',
  bad_response: 'Check that the base URL is an OpenAI-compatible endpoint.',
  aborted: 'The run was cancelled.',
};
