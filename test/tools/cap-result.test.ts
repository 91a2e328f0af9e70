import { Buffer } from 'node:buffer';
import * as fastCheck from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capResult } from '../../src/tools/cap-result.ts';

const zh = { locale: 'zh', maxBytes: 32_000 } as const;

describe('capResult', () => {
  it('leaves a result alone that fits exactly', () => {
    const content = 'x'.repeat(zh.maxBytes);
    expect(capResult(content, zh)).toBe(content);
  });

  it('cuts a longer one and says how long it was', () => {
    const content = capResult('文'.repeat(20_000), { ...zh, locale: 'en' });
    expect(content.endsWith('文\n[The result was cut here: 60000 bytes in all]')).toBe(true);
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(zh.maxBytes);
    expect(Buffer.byteLength(content)).toBeGreaterThan(zh.maxBytes - 3);
  });

  it('counts bytes, not characters', () => {
    expect(capResult('文'.repeat(11_000), zh)).toContain('\n[结果过长，已截断：全长 33000 字节]');
    expect(capResult('x'.repeat(11_000), zh)).toBe('x'.repeat(11_000));
  });

  it('replaces a lone surrogate, which has no UTF-8', () => {
    expect(capResult('a\ud800b', zh)).toBe('a\ufffdb');
  });

  it('never exceeds the cap or splits a code point, whatever the text and the cap', () => {
    const texts = fastCheck.string({ unit: 'binary', maxLength: 200 });
    const caps = fastCheck.integer({ min: 0, max: 200 });
    fastCheck.assert(
      fastCheck.property(texts, caps, (text, maxBytes) => {
        const content = capResult(text, { ...zh, maxBytes });
        expect(Buffer.byteLength(content)).toBeLessThanOrEqual(maxBytes);
        if (Buffer.byteLength(text) <= maxBytes) expect(content).toBe(text);
        const [kept = ''] = content.split('\n[结果过长');
        expect(text.startsWith(kept)).toBe(true);
      }),
    );
  });
});
