import { describe, expect, it } from 'vitest';
import {
  createServiceGuard,
  inspectService,
  type ServiceAddress,
} from '../../src/facts/services.ts';

const { signal } = new AbortController();
const PUBLIC: ServiceAddress = { address: '93.184.216.34', family: 4 };
const LOCAL: ServiceAddress = { address: '127.0.0.1', family: 4 };

/** Answers each lookup in turn; one more fails the test. */
function scriptedLookup(...answers: readonly (readonly ServiceAddress[])[]) {
  const left = [...answers];
  return async (host: string) => {
    const next = left.shift();
    if (next === undefined) throw new Error(`unexpected lookup of ${host}`);
    return next;
  };
}

describe('services', () => {
  it('asks for a well-formed origin that is not configured, and refuses a private one', () => {
    const origins = ['https://img.example.com'];
    expect(inspectService('https://cdn.example.com/x', origins)).toEqual({
      verdict: 'ask',
      code: null,
      origin: 'https://cdn.example.com',
      host: 'cdn.example.com',
    });
    expect(inspectService('http://10.0.0.1/x', origins)).toMatchObject({
      verdict: 'refuse',
      code: 'private_address',
    });
  });

  it.each([
    ['https://user:secret@img.example.com/', 'credentials'],
    ['ftp://img.example.com/', 'scheme'],
    ['https://img.example.com\\@evil.test/', 'characters'],
    ['https:////img.example.com/', 'malformed'],
    [42, 'malformed'],
  ])('says why %s is refused', (url, code) => {
    expect(inspectService(url, ['https://img.example.com'])).toMatchObject({
      verdict: 'refuse',
      code,
    });
  });

  it('gives the addresses that were checked, for connecting to', async () => {
    const guard = createServiceGuard({
      origins: ['https://img.example.com'],
      lookup: scriptedLookup([PUBLIC]),
    });
    expect(await guard.inspect('https://img.example.com/scale', { signal })).toEqual({
      allowed: true,
      origin: 'https://img.example.com',
      addresses: [PUBLIC],
    });
  });

  it('resolves no address that is written as one', async () => {
    const guard = createServiceGuard({
      origins: ['http://127.0.0.1:8080'],
      lookup: scriptedLookup(),
    });
    expect(await guard.inspect('http://127.0.0.1:8080/', { signal })).toMatchObject({
      allowed: true,
      addresses: [LOCAL],
    });
  });

  it('refuses a name that is rebound to a private address', async () => {
    const guard = createServiceGuard({
      origins: ['https://img.example.com'],
      lookup: scriptedLookup([PUBLIC], [LOCAL]),
    });
    const inspect = () => guard.inspect('https://img.example.com/scale', { signal });
    await expect(inspect()).resolves.toMatchObject({ addresses: [PUBLIC] });
    await expect(inspect()).rejects.toMatchObject({
      code: 'service_refused',
      details: { reason: 'private_address' },
    });
  });

  it('reports a name that does not resolve', async () => {
    const guard = createServiceGuard({
      origins: [],
      lookup: async () => Promise.reject(new Error('ENOTFOUND')),
    });
    await expect(guard.inspect('https://none.example/', { signal })).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });

  it.each(['https://img.example.com/', 'img.example.com', 'https://IMG.example.com', 'file://'])(
    'refuses to start with %s as an origin',
    (origin) => {
      expect(() => createServiceGuard({ origins: [origin] })).toThrowError(/is not an origin/u);
    },
  );
});
