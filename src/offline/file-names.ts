/** A file named in a text. `start` and `end` are offsets in the text, quotes included. */
export interface FileMention {
  readonly path: string;
  /** As written, quotation marks included. */
  readonly written: string;
  readonly start: number;
  readonly end: number;
}

/** A text with every file name replaced by one character, so that rules can look around them. */
export interface MaskedText {
  readonly text: string;
  readonly files: readonly FileMention[];
}

const EXTENSION = String.raw`\.(?:jpe?g|png|webp|gif|avif|tiff?|bmp|svg|heic|heif|ico)(?![A-Za-z0-9_])`;
const PAIRS: readonly (readonly [string, string])[] = [
  ['“', '”'],
  ['"', '"'],
  ['‘', '’'],
  ['「', '」'],
  ['『', '』'],
  ['`', '`'],
  ['《', '》'],
  ["'", "'"],
];
const QUOTED = PAIRS.map(
  // An apostrophe inside a word opens nothing.
  ([open, close]) =>
    `${open === "'" ? '(?<![A-Za-z])' : ''}${open}[^${open}${close}\\n]{1,200}?${EXTENSION}\\s*${close}`,
).join('|');
const BARE = String.raw`(?:[A-Za-z]:[\\/])?(?:\(\d+\)|[^\s"'“”‘’「」『』《》<>${'`'},，。；;：:!！?？、|*（）()=\uE000-\uF8FF]){1,255}?${EXTENSION}`;
const MENTION = new RegExp(`${QUOTED}|${BARE}`, 'giu');

const FIRST_MARK = 0xe000;
const MOST_FILES = 200;

/** One masked file name. */
export const FILE_MARK = /[\uE000-\uE0FF]/u;

/**
 * Finds image files in a text, quoted or not, and masks them. Chinese writes no space before a
 * name: words such as 把 and 存成 that lead up to it are left outside.
 */
export function maskFiles(text: string): MaskedText {
  const files: FileMention[] = [];
  let masked = '';
  let from = 0;
  const plain = text.replace(/[\uE000-\uF8FF]/gu, ' ');
  for (const found of plain.matchAll(MENTION)) {
    if (files.length >= MOST_FILES) break;
    const whole = found[0];
    const quoted = PAIRS.some(([open, close]) => whole.startsWith(open) && whole.endsWith(close));
    const path = quoted ? whole.slice(1, -1).trim() : afterLeadingWords(whole);
    if (/^\.[a-z]+$/iu.test(path)) continue;
    const start = quoted ? found.index : found.index + whole.length - path.length;
    const end = found.index + whole.length;
    masked += plain.slice(from, start) + String.fromCharCode(FIRST_MARK + files.length);
    files.push({ path, written: plain.slice(start, end), start, end });
    from = end;
  }
  return { text: masked + plain.slice(from), files };
}

/** The file a mark stands for. */
export function fileOf(mark: string, files: readonly FileMention[]): FileMention | undefined {
  return files[mark.charCodeAt(0) - FIRST_MARK];
}

/** A masked text with its file names back in place, as written. */
export function unmask(text: string, files: readonly FileMention[]): string {
  return text.replace(/[\uE000-\uE0FF]/gu, (mark) => fileOf(mark, files)?.written ?? '');
}

/** Verbs that end in a word for "as, into, to": what follows is a name. */
const TOWARDS =
  /^[^./\\]*(?:(?:另存|保存|储存|存储|存|输出|导出|写|放|转换|转|变|改|做|命名|取名|叫|名|缩放|缩小|缩|放大|压缩|调整|调)(?:成|为|到|在|入|进|作|做)|文件名(?:是|为|叫)?|名字(?:是|叫))/u;
/** Words that can also begin a name: they only lead up to one that goes on in another script. */
const LEADING =
  /^(?:输出|导出|生成|缩放|缩小|放大|压缩|裁剪|调整|处理|帮我|帮忙|麻烦你?|请你?|我想|我要|再|先|用|对|给|从|和|与|跟|及|叫|存|到|为)(?=[^\p{Script=Han}])/u;
const OBJECT = /^(?:[再先请]?|帮我|麻烦你?|请你?帮我)[把将]/u;

function afterLeadingWords(name: string): string {
  let rest = name.replace(TOWARDS, '').replace(OBJECT, '');
  for (let previous = ''; previous !== rest; ) {
    previous = rest;
    rest = rest.replace(LEADING, '');
  }
  // Nothing but an extension left means that the words were the name.
  return /^\.[a-z]+$/iu.test(rest) ? name : rest;
}
