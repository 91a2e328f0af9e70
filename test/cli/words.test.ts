import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable } from '../../machines/vocabulary/printable.ts';
import { cutToWidth, padToWidth, textWidth, wrapToWidth } from '../../src/cli/width.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 80 });

describe('width', () => {
  it.each([
    ['abc', 3],
    ['中文，', 6],
    ['한국어', 6],
    ['☰', 2],
    ['🏴', 2],
    ['𛀀', 2],
    ['🇨🇳', 2],
    ['ｙ', 2],
    ['e\u0301', 1],
    ['·→…', 3],
    ['👍', 2],
    ['𠮷', 2],
    ['', 0],
  ])('of %s is %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it('cuts so that wide characters fit', () => {
    expect(cutToWidth('中文文字', 8)).toBe('中文文字');
    expect(cutToWidth('中文文字', 7)).toBe('中文文…');
    expect(cutToWidth('中文文字', 6)).toBe('中文…');
    expect(padToWidth('模型', 7)).toBe('模型   ');
  });

  it('wraps at spaces where there are some, and anywhere in Chinese', () => {
    expect(wrapToWidth('overwriting an existing file', 16, '  ')).toEqual([
      'overwriting an',
      '  existing file',
    ]);
    expect(wrapToWidth('试图覆盖已有内容', 7, ' ')).toEqual(['试图覆', ' 盖已有', ' 内容']);
    expect(wrapToWidth('逗号分隔：outside（区域之外）、service（服务）', 20)).toEqual([
      '逗号分隔：outside',
      '（区域之外）、',
      'service（服务）',
    ]);
    expect(wrapToWidth('运行已经结束，不能接着', 12)).toEqual(['运行已经结', '束，不能接着']);
    expect(wrapToWidth('a\n\nb', 7)).toEqual(['a', '', 'b']);
    expect(wrapToWidth('abcdefgh', 3)).toEqual(['abc', 'def', 'gh']);
  });

  it('never exceeds the width and loses nothing but spaces', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 4, max: 40 }), (text, width) => {
        const clean = printable(text).replaceAll('\t', ' ');
        const lines = wrapToWidth(clean, width);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
        const squeeze = (whole: string) => whole.replace(/\s/gu, '');
        expect(squeeze(lines.join(''))).toBe(squeeze(clean));
        expect(textWidth(cutToWidth(clean, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});
