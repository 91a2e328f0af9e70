import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { isLoopbackAddress, isSpecialAddress } from './addresses.ts';

/** `ask`: a well-formed address whose origin is not configured. `refuse`: never, whoever asks. */
export interface ServiceVerdict {
  readonly verdict: 'allow' | 'ask' | 'refuse';
  /** Why it is refused: `characters`, `malformed`, `scheme`, `credentials`, `private_address`. */
  readonly code: string | null;
  /** The origin as parsed: what a person should be shown. Null when there is none. */
  readonly origin: string | null;
  /** The host without port and brackets. */
  readonly host: string | null;
}

const MAX_URL_LENGTH = 2048;

/**
 * Judges the URL of a service by its exact origin (scheme, host and port, as the WHATWG parser
 * reads them). Pure: it resolves no name; see {@link judgeAddresses}.
 */
export function inspectService(url: unknown, origins: readonly string[]): ServiceVerdict {
  if (typeof url !== 'string' || url.length > MAX_URL_LENGTH) return refuse('malformed');
  // Parsers strip or rewrite these and then disagree about the host.
  if (/[\s\\\p{Cc}\p{Cf}]/u.test(url)) return refuse('characters');
  if (!URL.canParse(url)) return refuse('malformed');
  const parsed = new URL(url);
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return refuse('scheme');
  const authority = /^https?:\/\/([^/?#]+)/iu.exec(url)?.[1];
  if (authority === undefined) return refuse('malformed');
  if (authority.includes('@') || parsed.username !== '' || parsed.password !== '') {
    return refuse('credentials');
  }
  const host = parsed.hostname.replace(/^\[|\]$/gu, '');
  const { origin } = parsed;
  if (origins.includes(origin)) return { verdict: 'allow', code: null, origin, host };
  if (isIP(host) !== 0 && isSpecialAddress(host)) {
    return { verdict: 'refuse', code: 'private_address', origin, host };
  }
  return { verdict: 'ask', code: null, origin, host };
}

/**
 * Judges what a host name resolved to: refused when any answer is a special address, because
 * which one is connected to is chance. A host written as an address, or as `localhost`, was
 * chosen by the operator with open eyes; `localhost` must then be this machine. Pure.
 */
export function judgeAddresses(
  inspected: ServiceVerdict,
  addresses: readonly string[],
): ServiceVerdict {
  const { host } = inspected;
  if (inspected.verdict === 'refuse' || host === null || isIP(host) !== 0) return inspected;
  const isLocal = inspected.verdict === 'allow' && host === 'localhost';
  const isRight = (address: string) =>
    isLocal ? isLoopbackAddress(address) : !isSpecialAddress(address);
  if (addresses.length > 0 && addresses.every(isRight)) return inspected;
  return { ...inspected, verdict: 'refuse', code: 'private_address' };
}

function refuse(code: string): ServiceVerdict {
  return { verdict: 'refuse', code, origin: null, host: null };
}

export interface ServiceAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** What the guard found; connect to one of `addresses` and to nothing else. */
export interface ServiceInspection {
  readonly allowed: boolean;
  readonly origin: string;
  readonly addresses: readonly ServiceAddress[];
}

export interface ServiceGuard {
  /**
   * Resolves and judges a service. Throws `service_refused` for what is never used, and
   * `service_unavailable` when its name does not resolve.
   */
  inspect(url: string, options: { readonly signal: AbortSignal }): Promise<ServiceInspection>;
}

export interface ServiceGuardOptions {
  /** Exact origins, such as `https://img.example.com` or `http://127.0.0.1:8080`. */
  readonly origins: readonly string[];
  /** How names are resolved; the system's resolver by default. */
  readonly lookup?: (host: string) => Promise<readonly ServiceAddress[]>;
}

/** Makes a guard. Throws `invalid_origin` for an entry that is not exactly an origin. */
export function createServiceGuard(options: ServiceGuardOptions): ServiceGuard {
  for (const origin of options.origins) requireOrigin(origin);
  const lookup = options.lookup ?? resolveBySystem;
  return {
    async inspect(url, { signal }) {
      const inspected = inspectService(url, options.origins);
      if (inspected.verdict === 'refuse' || inspected.host === null) throw refused(inspected);
      const addresses = await resolve(inspected.host, lookup);
      signal.throwIfAborted();
      const judged = judgeAddresses(
        inspected,
        addresses.map(({ address }) => address),
      );
      if (judged.verdict === 'refuse' || judged.origin === null) throw refused(judged);
      return { allowed: judged.verdict === 'allow', origin: judged.origin, addresses };
    },
  };
}

function requireOrigin(origin: string): void {
  const isOrigin = URL.canParse(origin) && new URL(origin).origin === origin;
  if (isOrigin && /^https?:/u.test(origin)) return;
  throw new AgentHubError(
    'invalid_origin',
    `${JSON.stringify(origin)} is not an origin; write scheme, host and port only, such as "https://img.example.com".`,
  );
}

async function resolve(
  host: string,
  lookup: NonNullable<ServiceGuardOptions['lookup']>,
): Promise<readonly ServiceAddress[]> {
  const family = isIP(host);
  if (family === 4 || family === 6) return [{ address: host, family }];
  try {
    return await lookup(host);
  } catch (error) {
    throw new AgentHubError(
      'service_unavailable',
      `The name of the image service (${host}) does not resolve.`,
      undefined,
      error,
    );
  }
}

async function resolveBySystem(host: string): Promise<readonly ServiceAddress[]> {
  const answers = await systemLookup(host, { all: true });
  return answers.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

function refused(inspected: ServiceVerdict): AgentHubError {
  return new AgentHubError(
    'service_refused',
    `The image service that is configured is refused (${inspected.code}); its operator has to change its address.`,
    { reason: inspected.code, origin: inspected.origin },
  );
}
