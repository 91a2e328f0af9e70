import { Buffer } from 'node:buffer';
import * as fastCheck from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capResult, DEFAULT_RESULT_BYTES } from '../../src/tools/cap-result.ts';

describe('capResult', () => {
  it('leaves a result alone that fits exactly', () => {
    const content = 'x'.repeat(DEFAULT_RESULT_BYTES);
    expect(capResult(content, 'zh')).toEqual({ content, truncated: false });
  });

  it('cuts a longer one and says how long it was', () => {
    const { content, truncated } = capResult('文'.repeat(20_000), 'en');
    expect(truncated).toBe(true);
    expect(content.endsWith('文\n[The result was cut here: 60000 bytes in all]')).toBe(true);
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(32 * 1024);
    expect(Buffer.byteLength(content)).toBeGreaterThan(32 * 1024 - 3);
  });

  it('counts bytes, not characters', () => {
    expect(capResult('文'.repeat(11_000), 'zh').truncated).toBe(true);
    expect(capResult('x'.repeat(11_000), 'zh').truncated).toBe(false);
  });

  it('replaces a lone surrogate, which has no UTF-8', () => {
    expect(capResult('a\ud800b', 'zh').content).toBe('a\ufffdb');
  });

  it('never exceeds the cap or splits a code point, whatever the text and the cap', () => {
    const texts = fastCheck.string({ unit: 'binary', maxLength: 200 });
    const caps = fastCheck.integer({ min: 0, max: 200 });
    fastCheck.assert(
      fastCheck.property(texts, caps, (text, cap) => {
        const { content, truncated } = capResult(text, 'zh', cap);
        expect(Buffer.byteLength(content)).toBeLessThanOrEqual(cap);
        const [kept = ''] = truncated ? content.split('\n[结果过长') : [content];
        expect(text.startsWith(kept)).toBe(true);
        if (!truncated) expect(content).toBe(text);
      }),
    );
  });
});
