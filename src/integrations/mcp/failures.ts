import { z } from 'zod';
import { printableLine } from '../../../machines/vocabulary/printable.ts';

/** What the SDK puts before what a server says. */
const SDK_WORDS = /^(?:Streamable HTTP error: )?(?:Error POSTing to endpoint: )?/u;
/** Only words tell an answer of HTTP from one of the protocol: both have a number. */
const HTTP_WORDS = /^Streamable HTTP error: /u;
const NO_SESSION = /\bsession\b|not initialized/iu;

/**
 * Why a request or a connection failed, for a person: one short line, without what a host may
 * keep secret (headers, arguments, variables).
 */
export function explainFailure(thrown: unknown): string {
  if (isMalformed(thrown)) return 'what it answered has not the form that the protocol gives it';
  const { message, cause } = (thrown ?? {}) as Partial<Record<string, unknown>>;
  const status = httpStatus(thrown);
  const deeper = (cause as { code?: unknown } | null | undefined)?.code;
  const why = typeof deeper === 'string' ? ` (${deeper})` : '';
  const words = typeof message === 'string' ? message : String(thrown);
  const spoken = `${status === null ? '' : `HTTP ${status}: `}${words.replace(SDK_WORDS, '')}${why}`;
  return printableLine(spoken, 300);
}

/** The status that HTTP refused a request with; null for every other failure. */
export function httpStatus(thrown: unknown): number | null {
  const { message, code } = (thrown ?? {}) as Partial<Record<string, unknown>>;
  if (typeof message !== 'string' || !HTTP_WORDS.test(message)) return null;
  return typeof code === 'number' && code >= 300 && code < 600 ? code : null;
}

/**
 * Whether a request was refused because the server does not know its session any more: 404, as the
 * protocol has it, or the 400 that servers made from the SDK's example answer. It did not run.
 */
export function isSessionOver(thrown: unknown): boolean {
  const status = httpStatus(thrown);
  return status === 404 || (status === 400 && NO_SESSION.test((thrown as Error).message));
}

/** Whether something was received that is no message of the protocol. */
export function isMalformed(thrown: unknown): thrown is z.core.$ZodError {
  return thrown instanceof z.core.$ZodError;
}

/**
 * Whether a malformed message was meant as an answer: one with a bad `result` or `error`, or a list
 * of messages. Other lines, of JSON too, are what programs write between the messages.
 */
export function isMeantAsAnswer({ issues }: z.core.$ZodError): boolean {
  const forms = issues.flatMap((issue) =>
    issue.code === 'invalid_union' ? issue.errors : [[issue]],
  );
  return forms.some((form) =>
    form.every(
      ({ path: [member], message }) =>
        member === 'result' ||
        member === 'error' ||
        (member === undefined && message.endsWith('received array')),
    ),
  );
}
