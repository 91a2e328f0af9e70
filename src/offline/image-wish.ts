import { FILE_MARK, type FileMention, fileOf } from './file-names.ts';
import { findSize, isRelativeSize, type Size } from './image-size.ts';

/** Arguments of image_scaling. */
export interface ImageInput {
  readonly input: string;
  readonly output: string;
  readonly width?: number;
  readonly height?: number;
  readonly fit?: string;
  readonly format?: string;
}

/** What a person wants done to a picture, or what is missing to do it. */
export type ImageWish =
  | {
      readonly ok: true;
      readonly input: ImageInput;
      /** The person named no output: this name was made from the input's. */
      readonly derivedOutput: boolean;
      readonly assumedWidth: boolean;
    }
  | { readonly ok: false; readonly missing: 'size' | 'relative_size' | 'input' };

const VERB =
  /缩放|缩小|放大|缩到|缩成|缩为|缩至|缩略|压缩到|裁剪|裁切|裁成|拉伸|调整|转成|转为|转换|变成|改成|改为|调到|调成|尺寸|变小|变大|弄小|弄大|[小大]一[点些]|resiz|rescal|scal(?:e|ing)|shrink|enlarg|thumbnail|downsiz|downscal|upscal|crop|stretch|convert|smaller|bigger|larger|reduc|\bmake\b/iu;

/** Whether a text speaks of changing a picture's size or form. */
export function hasScalingVerb(masked: string): boolean {
  return VERB.test(masked);
}

/** Whether a text is a wish about a picture: a file to work on, and a verb or a size. */
export function isImageWish(masked: string, files: readonly FileMention[]): boolean {
  const roles = rolesOf(masked, files);
  if (roles.inputs.length === 0) return false;
  return hasScalingVerb(masked) || (findSize(masked) !== null && roles.output !== null);
}

/**
 * Reads a wish about pictures; one per picture when several are named for the same treatment.
 * `before` is the picture spoken of before, for a wish that names none.
 */
export function readImageWishes(
  masked: string,
  files: readonly FileMention[],
  before: string | null,
): ImageWish[] {
  const { output, folder, ...roles } = rolesOf(masked, files);
  const inputs = roles.inputs.length === 0 && before !== null ? [before] : roles.inputs;
  if (inputs.length === 0) return [{ ok: false, missing: 'input' }];
  const size = findSize(masked);
  if (size === null) {
    return [{ ok: false, missing: isRelativeSize(masked) ? 'relative_size' : 'size' }];
  }
  const fit = fitOf(masked);
  const format = output === null ? formatOf(masked) : null;
  return inputs.map((input) => {
    const target = output ?? derivedName(input, { size, format, folder });
    const { assumed, ...sides } = size;
    const isDerived = output === null && folder === null;
    return {
      ok: true,
      input: { input, output: target, ...sides, ...(fit ? { fit } : {}) },
      derivedOutput: isDerived,
      assumedWidth: assumed,
    };
  });
}

interface Roles {
  readonly inputs: readonly string[];
  readonly output: string | null;
  /** A folder named for the output, ending in a slash. */
  readonly folder: string | null;
}

const STRONG_OUTPUT = new RegExp(
  [
    `(?:(?:另存|保存|储存|存储|存|输出|导出)(?:成|为|到|在|入|进|做|作)?|(?<!缩)放(?:到|在|入|进)|写(?:到|入|成|进))`,
    `(?:(?:文件名|名字|名)(?:是|为|叫|用)?|(?:命名|取名|起名)(?:为|成|叫)?|叫(?:做|作)?|结果(?:是|为|叫)?|→|->|=>)`,
    String.raw`\b(?:sav(?:e|ed|ing)|writ(?:e|ten|ing)|stor(?:e|ed|ing)|export(?:ed)?|put|plac(?:e|ed))\b[^.,;]{0,20}?\b(?:as|to|into|in|under)\b`,
    String.raw`\b(?:output|destination|target|called|named|nam(?:e|ing) it|call(?:ing)? it)\b(?: (?:is|file|name|to|as))?`,
  ]
    .join('|')
    .replace(/^/u, '(?:') + String.raw`)\s*(?:文件|图片|the file|file)?\s*[:：=]?\s*$`,
  'iu',
);
const WEAK_OUTPUT =
  /(?:(?:转换|转|变|改|做|生成|得到)(?:成|为|到)?|成|为|\b(?:as|to|into|in)\b)\s*(?:文件|图片|the file|file)?\s*[:：=]?\s*$/iu;
const INPUT = /(?:\b(?:input|from|source)\b|从|把|将|对|输入|源文件|原图)\s*[:：=]?\s*$/iu;
const JOINED = /^\s*(?:和|与|跟|及|以及|还有|、|,|，|&|and|,\s*and)\s*$/iu;

function rolesOf(masked: string, files: readonly FileMention[]): Roles {
  const marks = [...masked.matchAll(new RegExp(FILE_MARK, 'gu'))].flatMap((found, index, all) => {
    const path = fileOf(found[0], files)?.path;
    if (path === undefined) return [];
    const previous = all[index - 1];
    const before = masked.slice(previous ? previous.index + 1 : 0, found.index);
    const isOwned = /^\s*(?:的|'s)/u.test(masked.slice(found.index + 1));
    return [{ path, before, role: isOwned ? 'input' : roleAfter(before) }];
  });
  const explicit = marks.find(({ role }) => role === 'input');
  const strong = marks.filter(({ role }) => role === 'output').at(-1);
  const open = marks.filter((mark) => mark !== strong);
  const first = explicit ?? open.find(({ role }) => role === 'open') ?? open[0];
  if (!first) return { inputs: [], output: strong?.path ?? null, folder: null };
  const others = open.filter((mark) => mark !== first);
  const joined = strong ? [] : others.filter(({ before }) => JOINED.test(before));
  if (joined.length > 0 && joined.length === others.length) {
    return {
      inputs: [first, ...joined].map(({ path }) => path),
      output: null,
      folder: folderOf(masked),
    };
  }
  const output = strong ?? others.filter(({ role }) => role === 'weak').at(-1) ?? others.at(-1);
  return {
    inputs: [first.path],
    output: output?.path ?? null,
    folder: output ? null : folderOf(masked),
  };
}

function roleAfter(before: string): 'input' | 'output' | 'weak' | 'open' {
  if (STRONG_OUTPUT.test(before)) return 'output';
  if (INPUT.test(before)) return 'input';
  return WEAK_OUTPUT.test(before) ? 'weak' : 'open';
}

function folderOf(masked: string): string | null {
  const found =
    /(?:\b(?:to|into|in|under)\s+(?:the\s+)?|[到在进]\s*)([^\s，。,;；\uE000-\uE0FF]+?\/)(?=\s|$|[，。,;；]|目录|文件夹|里|下|中)/iu.exec(
      masked,
    ) ??
    /(?:\b(?:to|into|in|under)\s+(?:the\s+)?|[到在进]\s*)([\w./-]+)\s*(?:folder|directory|目录|文件夹)/iu.exec(
      masked,
    );
  const folder = found?.[1];
  if (folder === undefined) return null;
  return folder.endsWith('/') ? folder : `${folder}/`;
}

function derivedName(
  input: string,
  { size, format, folder }: { size: Size; format: string | null; folder: string | null },
): string {
  const slash = Math.max(input.lastIndexOf('/'), input.lastIndexOf('\\')) + 1;
  const dot = input.lastIndexOf('.');
  const stem = input.slice(slash, dot);
  const extension = format ? `.${format}` : input.slice(dot);
  if (folder !== null) return `${folder}${stem}${extension}`;
  const { width, height } = size;
  const both = width !== undefined && height !== undefined;
  const sides = both ? `${width}x${height}` : width !== undefined ? `${width}w` : `${height}h`;
  return `${input.slice(0, slash)}${stem}-${sides}${extension}`;
}

function formatOf(masked: string): string | null {
  const found = /(?<![\w.])(jpe?g|png|webp|gif|avif)(?![\w.])/iu.exec(masked)?.[1]?.toLowerCase();
  return found === undefined ? null : found === 'jpeg' ? 'jpg' : found;
}

const FITS: readonly (readonly [string, RegExp])[] = [
  ['fill', /拉伸|变形|不保持比例|忽略比例|stretch|ignor\w* (?:the )?aspect|distort/iu],
  ['cover', /裁剪|裁切|裁成|填满|铺满|\bcrop|\bcover\b/iu],
  ['contain', /留白|补边|留边|letterbox|\bpad(?:ded|ding)?\b|\bcontain\b/iu],
];

/** How the picture fills the size, when the person said so; the tool's default otherwise. */
function fitOf(masked: string): string | null {
  return FITS.find(([, words]) => words.test(masked))?.[0] ?? null;
}
