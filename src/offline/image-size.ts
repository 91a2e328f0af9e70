/** A size as a person gave it, in pixels. */
export interface Size {
  readonly width?: number;
  readonly height?: number;
  /** One number without a word for which side: taken as the width. */
  readonly assumed: boolean;
}

type Token =
  | {
      readonly kind: 'pair';
      readonly width: number;
      readonly height: number;
      readonly isTarget: boolean;
    }
  | { readonly kind: 'number'; readonly value: number; readonly isTarget: boolean }
  | { readonly kind: 'width' | 'height' | 'both' | 'gap' };

const UNIT = String.raw`(?:\s*-?\s*(?:px|pixels?|个?像素))?`;
const TOKEN = new RegExp(
  [
    String.raw`(?<!\d)(?<w>\d{1,6})${UNIT}\s*(?:[x×*✕]|by|乘以?)\s*(?<h>\d{1,6})(?!\d)`,
    String.raw`(?<!\d)(?<number>\d{1,6})(?!\d)(?!\s*(?:%|倍|天|张|个(?!像素)|分|times|days?))(?<unit>\s*-?\s*(?:px|pixels?|个?像素))?`,
    '(?<both>宽高|高宽|长宽|宽和高|宽、高|width and height|both (?:sides|dimensions)|(?:each|longest|long|longer) (?:side|edge)|最长边|长边|边长|square|正方形|见方)',
    '(?<width>width|wide|宽度|宽(?!带|松))',
    '(?<height>height|high|tall|高度|高(?!清|质量|级|品))',
    '(?<gap>[,，。;；.\\n\\uE000-\\uE0FF])',
  ].join('|'),
  'giu',
);
const TOWARDS = /(?:到|成|为|至|to|at|=|:)\s*$/iu;

/** The size in a text whose file names are masked, or null when it gives none in pixels. */
export function findSize(masked: string): Size | null {
  const tokens = tokenize(masked.normalize('NFKC'));
  const pairs = tokens.filter((token) => token.kind === 'pair');
  const pair = pairs.find(({ isTarget }) => isTarget) ?? pairs.at(-1);
  if (pair) return { width: pair.width, height: pair.height, assumed: false };
  const size = namedSides(tokens);
  if (size) return { ...size, assumed: false };
  const numbers = tokens.filter((token) => token.kind === 'number');
  const target = numbers.find(({ isTarget }) => isTarget);
  return target ? { width: target.value, assumed: true } : null;
}

/** Whether a text gives a size relative to one that only the file knows. */
export function isRelativeSize(masked: string): boolean {
  return /一半|减半|两倍|[\d一二三四五六七八九十]\s*倍|\d\s*%|百分之|分之[一二三]|\b(?:half|double|twice|quarter|third|percent|times)\b/iu.test(
    masked.normalize('NFKC'),
  );
}

function namedSides(tokens: readonly Token[]): { width?: number; height?: number } | null {
  const first = tokens.findIndex(({ kind }) => isSide(kind));
  if (first < 0) return null;
  // "400 wide 300 high" or "width 400 height 300": the first side says which.
  const numberFirst = tokens[first - 1]?.kind === 'number';
  const used = new Set<Token>();
  const size: { width?: number; height?: number } = {};
  for (const [index, { kind }] of tokens.entries()) {
    if (!isSide(kind)) continue;
    const near = numberFirst ? [index - 1, index + 1] : [index + 1, index - 1];
    const number = near
      .map((at) => tokens[at])
      .find((token) => token?.kind === 'number' && !used.has(token));
    if (number?.kind !== 'number') continue;
    used.add(number);
    if (kind !== 'height') size.width ??= number.value;
    if (kind !== 'width') size.height ??= number.value;
  }
  return size.width === undefined && size.height === undefined ? null : size;
}

function isSide(kind: Token['kind']): boolean {
  return kind === 'width' || kind === 'height' || kind === 'both';
}

function tokenize(text: string): Token[] {
  return [...text.matchAll(TOKEN)].map((found): Token => {
    const { w, h, number, unit, both, width, height } = found.groups ?? {};
    if (w !== undefined && h !== undefined) {
      const isTarget = TOWARDS.test(text.slice(0, found.index));
      return { kind: 'pair', width: Number(w), height: Number(h), isTarget };
    }
    if (number !== undefined) {
      const isTarget = unit !== undefined || TOWARDS.test(text.slice(0, found.index));
      return { kind: 'number', value: Number(number), isTarget };
    }
    if (both) return { kind: 'both' };
    if (width) return { kind: 'width' };
    return { kind: height ? 'height' : 'gap' };
  });
}
