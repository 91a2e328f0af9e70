import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactLine } from '../../machines/vocabulary/exact-text.ts';
import { printable, printableJson, printableLine } from '../../src/cli/printable.ts';
import { cutToWidth, padToWidth, textWidth, wrapToWidth } from '../../src/cli/width.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 80 });

describe('printable', () => {
  it.each([
    ['an escape sequence', '\u001b[2Jgone', '\\u{1b}[2Jgone'],
    ['a C1 control sequence', '\u009b31m', '\\u{9b}31m'],
    ['a carriage return that would overwrite the line', 'safe\rrm -rf', 'safe\\u{d}rm -rf'],
    ['a bell and a backspace', 'a\u0007\u0008', 'a\\u{7}\\u{8}'],
    ['text direction', 'gpj.\u202eexe', 'gpj.\\u{202e}exe'],
    ['isolates', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['tag characters', 'a\u{e0041}', 'a\\u{e0041}'],
    ['a lone surrogate', 'a\ud800', 'a\\u{d800}'],
    ['line ends and tabs, which stay', 'a\r\n\tb', 'a\n\tb'],
    ['a joined emoji, which stays', '👩‍👧', '👩‍👧'],
  ])('shows %s', (_, text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it('leaves no control or formatting character in any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(printable(text)).not.toMatch(/(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}]/u);
        expect(printableLine(text)).not.toMatch(/[\n\t]/u);
      }),
    );
  });

  it('shows what is invisible in text that a person decides on', () => {
    expect(exactLine('a\u200db\u00a0c\u3164d\nrm')).toBe('a\\u{200d}b\\u{a0}c\\u{3164}d\\u{a}rm');
    expect(exactLine('  "input": "图 1.jpg"')).toBe('  "input": "图 1.jpg"');
  });

  it('keeps the value of JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyText, (value, text) => {
        const json = printableJson({ value, text }, 2);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, text })));
        expect(json).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
      }),
    );
    expect(printableJson('\u202e\u{e0041}\u007f')).toBe('"\\u202e\\udb40\\udc41\\u007f"');
  });
});

describe('width', () => {
  it.each([
    ['abc', 3],
    ['中文，', 6],
    ['한국어', 6],
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
