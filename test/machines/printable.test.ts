import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  exactJson,
  exactLine,
  isMisleading,
  printable,
  printableJson,
  printableLine,
  withoutInvisible,
} from '../../machines/vocabulary/printable.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 80 });

/** What public reports hid in the text of a question, and what else has no trace on a screen. */
const HIDDEN = [
  0x1b, 0x0d, 0x07, 0x7f, 0x9b, 0xad, 0x34f, 0x61c, 0x115f, 0x180b, 0x180e, 0x200b, 0x200c, 0x200d,
  0x200e, 0x202e, 0x2028, 0x2060, 0x2066, 0x2800, 0x3164, 0xfe0f, 0xfeff, 0xfff9, 0xe0041, 0xe0100,
];

/** Those that are letters, marks or joiners of a script: a screen keeps them, a question does not. */
const KEPT_ON_A_SCREEN = [0x34f, 0x115f, 0x180b, 0x200c, 0x200d, 0x2800, 0x3164, 0xfe0f, 0xe0100];

/** Those that turn text round or break the line. */
const MISLEADING = [0x1b, 0x0d, 0x07, 0x7f, 0x9b, 0x61c, 0x200e, 0x202e, 0x2028, 0x2066];

describe('26 characters that nobody sees', () => {
  it.each(HIDDEN.map((code) => [`U+${code.toString(16).padStart(4, '0')}`, code] as const))(
    '%s',
    (_, code) => {
      const character = String.fromCodePoint(code);
      const text = `a${character}b`;
      const asCode = `a\\u{${code.toString(16)}}b`;
      expect(exactLine(text)).toBe(asCode);
      expect(printable(text)).toBe(KEPT_ON_A_SCREEN.includes(code) ? text : asCode);
      expect(isMisleading(text)).toBe(MISLEADING.includes(code));
      expect(JSON.parse(printableJson(text))).toBe(text);
      expect(exactJson({ text }).join('')).not.toContain(character);
    },
  );

  it('are gone where text is compared, controls and blank patterns apart', () => {
    const left = withoutInvisible(String.fromCodePoint(...HIDDEN));
    expect(left).toBe('\u001b\r\u0007\u007f\u009b\u2028\u2800');
  });
});

it('a line is cut by characters, with a sign that more followed', () => {
  expect(printableLine('a\n b\u001b', 6)).toBe('a b\\u{…');
  expect(printableLine('👍👍👍', 3)).toBe('👍👍👍');
  expect(printableLine('👍👍👍', 2)).toBe('👍👍…');
});

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
