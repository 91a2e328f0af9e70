import { describe, expect, it } from 'vitest';
import { planSize } from '../../src/tools/image-scaling/size.ts';

describe('planning a size', () => {
  const source = { width: 64, height: 40 };
  const plan = (request: object) =>
    planSize(source, { fit: 'inside', format: 'png', frames: 1, ...request });

  it.each([
    [{ width: 20 }, 20, 13],
    [{ height: 20 }, 32, 20],
    [{ width: 20, height: 20 }, 20, 13],
    [{ width: 20, height: 20, fit: 'outside' }, 32, 20],
    [{ width: 20, height: 20, fit: 'cover' }, 20, 20],
    [{ width: 20, height: 20, fit: 'contain' }, 20, 20],
    [{ width: 20, height: 50, fit: 'fill' }, 20, 50],
    [{ width: 1 }, 1, 1],
    [{ width: 256 }, 256, 160],
  ])('%j comes to %i×%i', (request, width, height) => {
    expect(plan(request)).toEqual({ width, height, limited: false });
  });

  it('enlarges at most four times, in proportion, and says so', () => {
    expect(plan({ width: 640 })).toEqual({ width: 256, height: 160, limited: true });
    expect(plan({ width: 64, height: 400, fit: 'fill' })).toEqual({
      width: 26,
      height: 160,
      limited: true,
    });
  });

  it('refuses a side or a number of pixels above the limit, before it is cut down', () => {
    const thin = { width: 1, height: 4000 };
    const ask = { width: 20, fit: 'inside', format: 'png', frames: 1 } as const;
    expect(() => planSize(thin, ask)).toThrowError(/20×80000; a side of png has at most 16384/u);
    expect(() => plan({ width: 16_384, height: 2, fit: 'fill', format: 'webp' })).toThrowError(
      /a side of webp has at most 16383 pixels/u,
    );
    expect(() => plan({ width: 16_000 })).toThrowError(/at most 50000000 pixels/u);
    expect(() => plan({ width: 64, frames: 20_000 })).toThrowError(/at most 50000000 pixels/u);
  });
});
