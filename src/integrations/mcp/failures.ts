import { z } from 'zod';
import { plainLine } from './plain-text.ts';

/** What the SDK puts before what a server says. */
const SDK_WORDS = /^(?:Streamable HTTP error: )?(?:Error POSTing to endpoint: )?/u;

/**
 * Why a request or a connection failed, for a person: one short line, without what a host may
 * keep secret (headers, arguments, variables).
 */
export function explainFailure(thrown: unknown): string {
  if (thrown instanceof z.core.$ZodError)
    return 'what it answered has not the form that the protocol gives it';
  const { message, code, cause } = (thrown ?? {}) as Partial<Record<string, unknown>>;
  const status = typeof code === 'number' && code >= 300 && code < 600 ? `HTTP ${code}: ` : '';
  const deeper = (cause as { code?: unknown } | null | undefined)?.code;
  const why = typeof deeper === 'string' ? ` (${deeper})` : '';
  const words = typeof message === 'string' ? message : String(thrown);
  return plainLine(`${status}${words.replace(SDK_WORDS, '')}${why}`, 300);
}
