import { isJson, type Json, type JsonObject } from './json.ts';

/** A failure as data: what enters context, events and the log. */
export interface ErrorData {
  /** A literal code from the module that raised it, such as `auth` or `invalid_path`. */
  readonly code: string;
  /** What was wrong, where, and what to do, for a person. Never a secret. */
  readonly message: string;
  readonly details?: Json;
}

/**
 * The one error class of AgentHub. Modules throw it with a literal `code` of their own;
 * everything thrown by somebody else is turned into one by {@link toErrorData}.
 *
 * `instanceof AgentHubError` goes by name and shape: a command line and the extension it loads may
 * each have a copy of this package, and either knows the other's errors.
 */
export class AgentHubError<Code extends string = string> extends Error {
  override readonly name = 'AgentHubError';
  readonly code: Code;
  readonly details: JsonObject | undefined;

  constructor(code: Code, message: string, details?: JsonObject, cause?: unknown) {
    super(message);
    // Assigned here: the two-argument Error constructor is typed by ES2022's lib only with `cause`.
    if (cause !== undefined) this.cause = cause;
    this.code = code;
    this.details = details;
  }

  static override [Symbol.hasInstance](value: unknown): value is AgentHubError {
    try {
      if (!(value instanceof Error)) return false;
      const { name, code } = value as { readonly name: unknown; readonly code?: unknown };
      return name === 'AgentHubError' && typeof code === 'string';
    } catch {
      // Whoever threw it may have made it so that it cannot be looked at.
      return false;
    }
  }
}

/**
 * Turns anything thrown into plain data. Keeps `code`, `message` and `details` (if they are JSON) of an
 * {@link AgentHubError} or of data already in that shape; anything else gets `fallbackCode`.
 * Total: never throws, whatever was thrown.
 */
export function toErrorData(thrown: unknown, fallbackCode: string): ErrorData {
  try {
    return readError(thrown, fallbackCode);
  } catch {
    // A getter that throws, or an object that cannot become text.
    return { code: fallbackCode, message: 'Something was thrown that cannot be described' };
  }
}

function readError(thrown: unknown, fallbackCode: string): ErrorData {
  if (typeof thrown === 'object' && thrown !== null) {
    const { code, message, details } = thrown as {
      code?: unknown;
      message?: unknown;
      details?: unknown;
    };
    if (typeof message === 'string') {
      const known = thrown instanceof AgentHubError || !(thrown instanceof Error);
      const data = { code: known && typeof code === 'string' ? code : fallbackCode, message };
      const plain = known ? plainDetails(details) : undefined;
      return plain === undefined ? data : { ...data, details: plain };
    }
  }
  return { code: fallbackCode, message: String(thrown) };
}

/** What of some details is JSON; undefined for what cannot become any. */
function plainDetails(details: unknown): Json | undefined {
  if (details === undefined || isJson(details)) return details;
  try {
    return JSON.parse(JSON.stringify(details));
  } catch {
    return undefined;
  }
}
