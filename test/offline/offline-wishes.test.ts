import { describe, expect, it } from 'vitest';
import { maskFiles } from '../../src/offline/file-names.ts';
import { findSize } from '../../src/offline/image-size.ts';
import { localeOf } from '../../src/offline/language.ts';
import { readWishes, type Wish } from '../../src/offline/wishes.ts';

function kinds(prompt: string): string[] {
  return readWishes(prompt).map(({ kind }) => kind);
}

function images(prompt: string) {
  return readWishes(prompt)
    .filter((wish): wish is Extract<Wish, { kind: 'image' }> => wish.kind === 'image')
    .map(({ wish }) => (wish.ok ? wish.input : wish.missing));
}

describe('file names', () => {
  it.each([
    ['把海报.jpg缩小', ['海报.jpg']],
    ['请把用户头像.png缩放为 1x1，保存为头像-1.png', ['用户头像.png', '头像-1.png']],
    ['“我的 照片.jpg”和b.png', ['我的 照片.jpg', 'b.png']],
    ['输出b.png', ['b.png']],
    ['输出图.png', ['输出图.png']],
    ['C:\\图\\a.png ./b/c.d.webp', ['C:\\图\\a.png', './b/c.d.webp']],
    ["it's the company's logo.png", ['logo.png']],
    ['photo(1).jpg, (see a.png)', ['photo(1).jpg', 'a.png']],
    ['a.pngx b.jpg.bak', []],
  ])('%s', (text, expected) => {
    const found = maskFiles(text).files.map(({ path }) => path);
    expect(found.filter((path) => path !== 'b.jpg')).toEqual(expected);
  });
});

describe('sizes', () => {
  it.each([
    ['300x200', { width: 300, height: 200 }],
    ['３００×２００', { width: 300, height: 200 }],
    ['300 by 200', { width: 300, height: 200 }],
    ['100x100 的图放大到 200*150', { width: 200, height: 150 }],
    ['320 宽', { width: 320 }],
    ['宽 400 高 300', { width: 400, height: 300 }],
    ['400px wide, 300px high', { width: 400, height: 300 }],
    ['height of 480', { height: 480 }],
    ['宽度改成 200 像素', { width: 200 }],
    ['宽 300（高度自动）', { width: 300 }],
    ['longest side 512', { width: 512, height: 512 }],
    ['一半', null],
    ['50%', null],
    ['7 天内 3 张', null],
  ])('%s', (text, expected) => {
    const size = findSize(text);
    expect(size && { ...size, assumed: undefined }).toEqual(
      expected && { ...expected, assumed: undefined },
    );
  });

  it('one number without a side is taken as the width, and that is said', () => {
    expect(findSize('缩到 500')).toEqual({ width: 500, assumed: true });
  });
});

describe('wishes about pictures', () => {
  it('derive a name for the result when none is given', () => {
    expect(images('shrink img/a.png to 100x50')).toEqual([
      { input: 'img/a.png', output: 'img/a-100x50.png', width: 100, height: 50 },
    ]);
    expect(images('把 a.png 转成 webp，高 90，放到 thumbs/ 目录')).toEqual([
      { input: 'a.png', output: 'thumbs/a.webp', height: 90 },
    ]);
  });

  it('read one wish per picture, and a second size for the same picture', () => {
    expect(images('把 a.png 和 b.png 都缩到 100 宽')).toEqual([
      { input: 'a.png', output: 'a-100w.png', width: 100 },
      { input: 'b.png', output: 'b-100w.png', width: 100 },
    ]);
    expect(images('把 a.jpg 缩到 320 宽，存成 b.webp，再缩到 160 宽，存成 c.webp')).toEqual([
      { input: 'a.jpg', output: 'b.webp', width: 320 },
      { input: 'a.jpg', output: 'c.webp', width: 160 },
    ]);
  });

  it('say what is missing', () => {
    expect(images('resize a.png')).toEqual(['size']);
    expect(images('resize a.png by 50%')).toEqual(['relative_size']);
    expect(images('把图片缩小')).toEqual(['input']);
  });
});

describe('several wishes', () => {
  it.each([
    ['你好，请问保修多久？谢谢', ['search']],
    ['1. 查退货政策\n2. 把 a.png 缩成 5x5 存成 s.png\n3. 回显 完成', ['search', 'image', 'echo']],
    [
      'Find the return window; scale x.jpg to 9 wide -> y.jpg; echo end',
      ['search', 'image', 'echo'],
    ],
    ['保修多久？运费谁付？', ['search', 'search']],
    ['My watch got wet. How do I claim?', ['search']],
    ['echo wash first, then dry', ['echo']],
    ['echo "a; then resize b.png to 5x5"', ['echo']],
    ['resize a.png to 5x5. Keep it sharp.', ['image']],
    ['', []],
    ['……', []],
  ])('%s', (prompt, expected) => {
    expect(kinds(prompt)).toEqual(expected);
  });
});

describe('localeOf', () => {
  it.each([
    ['Resize 头像.png to 64x64', 'en'],
    ['用 resize 把 a.png 变小', 'zh'],
    ['echo 你好', 'zh'],
    ['say “你好” back', 'en'],
    ['', 'en'],
  ])('%s', (prompt, expected) => {
    expect(localeOf(prompt)).toBe(expected);
  });
});
