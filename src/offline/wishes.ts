import { FILE_MARK, type FileMention, maskFiles, unmask } from './file-names.ts';
import { findSize } from './image-size.ts';
import { hasScalingVerb, type ImageWish, isImageWish, readImageWishes } from './image-wish.ts';
import { type Concept, findConcepts, toKeywords } from './keywords.ts';
import { splitParts } from './split.ts';

/** One thing a person wants. `words` are theirs, on one line. */
export type Wish = { readonly words: string } & (
  | { readonly kind: 'echo'; readonly text: string }
  | { readonly kind: 'image'; readonly wish: ImageWish }
  | {
      readonly kind: 'search';
      readonly keywords: string;
      readonly concepts: readonly Concept[];
      /** Whether it asks for a number: how many, how long. */
      readonly asksQuantity: boolean;
    }
  | { readonly kind: 'greeting' | 'thanks' | 'help' | 'too_long' }
);

const POLITE = `(?:please|kindly|now|first(?:ly)?|then|and|also|(?:can|could|would|will) you|i(?:'d| would) like you to|i want you to|请你?|帮我|帮忙|麻烦你?|劳驾|能不能|能否|可以|你|先|首先|再|然后|接着|最后)`;
const LEADING = new RegExp(String.raw`^(?:${POLITE}(?![A-Za-z])[\s,，]*)+`, 'iu');
const ECHO =
  /^(?:(?:use|call|run|用|使用|调用)\s*(?:the\s+)?echo(?:\s*(?:tool|工具))?\s*(?:to\s+(?:say|repeat|echo|return)\b|with\b|来?(?:说|回显|输出|返回))?|echo\b(?:\s+back\b)?|回显|复述|重复(?!购|下单|付)|照着说|原样(?:返回|输出|回复)|跟我(?:念|说)|say\s+back\b|repeat\b(?:\s+after\s+me|\s+back)?|say(?=\s*["“'「]))(?:一下|一遍)?(?:\s*(?:这句话|(?:下面|以下)(?:这句话|的话|内容|文字)?|what i say|(?:the\s+)?(?:following|words?|text)(?:\s+(?:words?|text|sentence))?|this)(?=\s*[:：，,"“「]))?\s*[:：，,]?\s*(\S[\s\S]*)$/iu;
const GREETING =
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|你好|您好|嗨|哈喽|早上好|下午好|晚上好|在吗)(?:\s+(?:there|all|everyone|agenthub))?[\s!！。.~,，呀啊]*$/iu;
const THANKS =
  /^(?:(?:(?:many\s+)?thanks|thank you|thx|cheers|bye|goodbye|see you|ok|okay|great|谢谢|多谢|感谢|辛苦了|再见|拜拜|好的|没事了)(?:\s*(?:a lot|so much|very much|again|你|您|啦|了))?[\s!！。.~,，]*)+$/iu;
const HELP =
  /你(?:都)?(?:能|会|可以)(?:帮我)?(?:做|干|帮)(?:我)?(?:些|点)?(?:什么|啥|哪些)|你是谁|你是什么|有(?:什么|哪些)功能|怎么(?:使用|用)你|^(?:帮助|help)[\s!！。.?？]*$|what (?:can|do) you (?:do|help)|who are you|what are you\b|how (?:can|do) (?:you help|i use you)|your (?:abilities|capabilities)/iu;
const QUESTION =
  /[?？]|吗|呢[。\s]*$|什么|怎么|怎样|如何|多少|多久|多长|几(?:天|个|次|年|月|小时|种|号)|哪|谁|是否|能不能|能否|支不支持|有没有|是不是|要不要|可不可以|查|搜|告诉我|想知道|介绍|说说|\b(?:who|what|when|where|why|how|which|tell me|find|look up|search|explain|know|check)\b|^(?:do|does|did|is|are|was|can|could|will|would|should|may|am)\b/iu;
const QUANTITY =
  /多少|多久|多长|几|期限|时限|how (?:many|much|long|soon|often)|when|deadline|until/iu;

/** `again`: another size for the picture spoken of before. */
type Kind = 'echo' | 'image' | 'again' | 'question' | 'chat' | 'none';

interface Group {
  kind: Kind;
  readonly start: number;
  end: number;
}

/** A longer prompt is no wish for rules: reading it in part would be a guess. */
const LONGEST_PROMPT = 8_000;

/** What a person wants, in their order. A prompt without any wish at all gives an empty list. */
export function readWishes(prompt: string): readonly Wish[] {
  if (prompt.length > LONGEST_PROMPT) return [{ kind: 'too_long', words: prompt.slice(0, 40) }];
  const { text, files } = maskFiles(prompt);
  const groups = groupParts(text, files);
  const work = groups.filter(({ kind }) => kind !== 'chat');
  const chosen = work.length > 0 ? work : groups.slice(0, 1);
  let before: string | null = null;
  return chosen.flatMap(({ start, end }, index) => {
    const isLast = index === chosen.length - 1;
    const wishes = readWish(text.slice(start, end), { files, isLast, before });
    for (const wish of wishes) {
      if (wish.kind === 'image' && wish.wish.ok) before = wish.wish.input.input;
    }
    return wishes;
  });
}

function groupParts(text: string, files: readonly FileMention[]): Group[] {
  const groups: Group[] = [];
  const parts = splitParts(text);
  for (const [index, { start, end, gap }] of parts.entries()) {
    const part = text.slice(start, end);
    const previous = groups.at(-1);
    // A bare topic among listed wishes is a question; after others it may belong to them.
    const next = parts[index + 1]?.gap ?? (index === 0 ? 'comma' : 'list');
    const stands =
      previous === undefined || previous.kind === 'question' || previous.kind === 'chat';
    const isListed = gap === 'list' && next === 'list' && stands;
    const kind = kindOf(part, { files, isListed });
    const isHard = gap !== 'comma';
    const spoken = previous ? text.slice(previous.start, previous.end) : '';
    if (previous && belongsTo(previous.kind, kind, { isHard, spoken })) {
      previous.end = end;
      if (previous.kind === 'none' && kind !== 'chat') previous.kind = kind;
    } else {
      groups.push({ kind, start, end });
    }
  }
  return groups;
}

/** Whether a part goes on with the wish before it. `isHard`: more than a comma stands between. */
function belongsTo(
  previous: Kind,
  kind: Kind,
  { isHard, spoken }: { readonly isHard: boolean; readonly spoken: string },
): boolean {
  if (previous === 'chat' || kind === 'chat') return false;
  // What is said before a question or a wish belongs to it, and so does what is said after one.
  if (previous === 'none' || kind === 'none') return true;
  if (kind === 'again') return previous !== 'image' || !isHard || findSize(spoken) === null;
  if (previous === 'echo') return !isHard && kind === 'question';
  return !isHard && previous === 'question' && kind === 'question';
}

function kindOf(
  part: string,
  { files, isListed }: { readonly files: readonly FileMention[]; readonly isListed: boolean },
): Kind {
  const plain = strip(part);
  if (chatOf(part) !== null) return 'chat';
  if (ECHO.test(plain)) return 'echo';
  if (isImageWish(part, files)) return 'image';
  if (hasScalingVerb(part) && findSize(part) !== null) return 'again';
  const hasFile = FILE_MARK.test(part);
  if (isListed && !hasFile && findConcepts(part).length > 0) return 'question';
  // "… and write it to b.png?" asks nothing.
  const asked = hasFile ? plain.replace(/[?？]/gu, '') : part.trim();
  return QUESTION.test(plain.replace(/[?？]/gu, '')) || QUESTION.test(asked) ? 'question' : 'none';
}

function chatOf(part: string): 'help' | 'greeting' | 'thanks' | null {
  const forms = [part.trim(), strip(part)];
  if (forms.some((form) => HELP.test(form))) return 'help';
  if (forms.some((form) => GREETING.test(form))) return 'greeting';
  return forms.some((form) => THANKS.test(form)) ? 'thanks' : null;
}

function readWish(
  part: string,
  {
    files,
    isLast,
    before,
  }: {
    readonly files: readonly FileMention[];
    readonly isLast: boolean;
    /** The picture spoken of before. */
    readonly before: string | null;
  },
): readonly Wish[] {
  const plain = strip(part);
  const words = oneLine(unmask(part, files));
  const chat = chatOf(part);
  if (chat !== null) return [{ kind: chat, words }];
  const echoed = ECHO.exec(plain)?.[1];
  if (echoed !== undefined) {
    const text = isLast ? echoed : echoed.replace(/[\s,，;；.。]+$/u, '');
    return [{ kind: 'echo', text: unquote(unmask(text, files).trim()), words }];
  }
  if (isImageWish(part, files) || (isOrder(plain, before) && hasScalingVerb(part))) {
    const wishes = readImageWishes(part, files, before);
    return wishes.map((wish) => {
      const isOne = wishes.length === 1 || !wish.ok;
      return { kind: 'image', wish, words: isOne ? words : `${words} (${wish.input.input})` };
    });
  }
  const question = part.replace(/[\uE000-\uE0FF]/gu, ' ');
  const concepts = findConcepts(question);
  if (concepts.length === 0) return [];
  const asksQuantity = QUANTITY.test(question);
  return [{ kind: 'search', keywords: toKeywords(concepts), concepts, asksQuantity, words }];
}

/** An order about pictures that names none, rather than a question about them. */
function isOrder(plain: string, before: string | null): boolean {
  if (QUESTION.test(plain)) return false;
  return before !== null || /图|照片|image|picture|photo|it\b/iu.test(plain);
}

function strip(part: string): string {
  return part.trim().replace(LEADING, '');
}

function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.replace(/^[,，;；、。.]+\s*|\s*[,，;；、。.]+$/gu, '');
}

function unquote(text: string): string {
  const found =
    /^(?:"([^"]*)"|“([^”]*)”|「([^」]*)」|'([^']*)'|‘([^’]*)’|`([^`]*)`)[\s,，]*(?:please|thanks|谢谢)?[.。!！]?$/iu.exec(
      text,
    );
  return found?.slice(1).find((inner) => inner !== undefined) ?? text;
}
