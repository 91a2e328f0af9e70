/** One thing a question is about, in the forms in which a text may speak of it. */
export type Concept = readonly string[];

const MOST_CONCEPTS = 12;

/** Words that ask, point or link, and say nothing about the subject. */
const CHINESE_WORDS = new Set(
  '我 你 您 他 她 它 我们 你们 他们 咱们 自己 大家 请 请问 请教 问 问一下 一下 什么 怎么 怎样 怎么样 怎么办 如何 多少 多久 多长 多 久 几 几天 天 日 周 个月 月 年 小时 分钟 多长时间 时间 时候 之内 以内 之前 之后 以后 以前 内 可以 可 能 能够 能否 能不能 可不可以 是 是否 是不是 有 没有 有没有 没 会 会不会 要 要不要 需要 需 必须 应该 该 想 想要 想知道 知道 告诉 帮 帮我 帮忙 麻烦 谢谢 谢 谢谢你 吗 呢 吧 啊 呀 哦 嘛 了 的 地 得 着 过 和 与 及 或 或者 跟 同 在 把 将 被 对 从 到 给 用 为 为什么 为何 因为 所以 哪 哪些 哪里 哪儿 哪个 谁 这 那 这个 那个 这些 那些 这样 那么 如果 的话 假如 要是 但 但是 不过 只 只是 还是 还 还有 也 都 就 才 再 先 然后 接着 最后 首先 另外 顺便 同时 并 并且 查 查一下 查询 查查 查找 搜索 搜 搜一下 找 找找 看 看看 看一下 说 说说 说明 讲 讲讲 介绍 了解 了解一下 解释 回答 一 一个 一些 一件 两 三 四 五 六 七 八 九 十 上 下 里 里面 中 不 不是 支持 支 支不支持 别 上个月 上个星期 上周 昨天 今天 明天 现在 目前 刚 刚刚 刚才 已经 买 买了 买的 收到 东西 件 关于 有关 情况 方式 方法 问题 办 算 来 去 做 做些 弄 搞 让 叫 行 行不行 好 好的 吃 很 太 最 更 比较 非常 什么样 一样 个 任何 所有 每 各 店 你们店 咱们店 店里 本店'.split(
    ' ',
  ),
);
const ENGLISH_WORDS = new Set(
  'a about after again all also am an and another any anybody anyone anything are as ask at back be because been before being between both but by can cannot could did do does doing don done down each either else every everything explain few find first for from further get getting give go going got had has have having he hear hello her here hi him his how however i if in into is it item items its itself just kind know last latest let like ll long look looking made make many may maybe me mean might mine month more most much must my need needs never no nor not now of off ok okay on once one only or other our out over own per please possible question re same say search see several shall she should show since so some somebody someone something soon still such sure take tell than thank thanks that the their them then there these they thing things this those through to too two three four five six seven eight nine ten eleven twelve under until up us use using ve very want was way we well were what whats when where whether which while who whom whose why will wish with within without won would yes yet you your yours day days hour hours minute minutes week weeks months year years time times'.split(
    ' ',
  ),
);
/** Subjects of every document of rules: kept only when nothing else is left. */
const GENERAL = new Set(
  '政策 规定 规则 条款 制度 要求 流程 policy policies rule rules term terms info information details shop store'.split(
    ' ',
  ),
);

/**
 * What a question is about, in order, by word segmentation and lists of words without a subject:
 * no list of topics. Longer Chinese words also count by their parts,
 * English ones by their stem. At most 12 concepts.
 */
export function findConcepts(question: string): readonly Concept[] {
  const words = contentWords(question.normalize('NFKC').toLowerCase());
  const special = words.filter((word) => !GENERAL.has(word));
  const chosen = special.length > 0 ? special : words;
  return [...new Set(chosen)].slice(0, MOST_CONCEPTS).map(formsOf);
}

/** The keywords of concepts, for a search in which any keyword finds. */
export function toKeywords(concepts: readonly Concept[]): string {
  return [...new Set(concepts.flat())].join(' ');
}

const HAN = /^\p{Script=Han}+$/u;

function contentWords(text: string): string[] {
  const words: string[] = [];
  let singles = '';
  const closeSingles = (): void => {
    // Neighbouring single characters are one word that the dictionary lacks.
    if (singles.length > 1) words.push(singles);
    singles = '';
  };
  const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    const word = segment.replace(/['’]s$|['’]$/u, '');
    const isHan = HAN.test(word);
    const isSubject = isWordLike && !(isHan ? isChineseFiller(word) : ENGLISH_WORDS.has(word));
    if (isSubject && isHan && word.length === 1) {
      singles += word;
      continue;
    }
    closeSingles();
    if (isSubject && (isHan || isSpokenWord(word))) words.push(word);
  }
  closeSingles();
  return words;
}

/** Also several fillers that the segmentation took for one word. */
function isChineseFiller(word: string): boolean {
  if (CHINESE_WORDS.has(word)) return true;
  if (word.length > 6) return false;
  return [...word].some((_, at) => {
    return at > 0 && CHINESE_WORDS.has(word.slice(0, at)) && isChineseFiller(word.slice(at));
  });
}

function isSpokenWord(word: string): boolean {
  return word.length > 1 && !/^\d+$/u.test(word) && !/['’]/u.test(word);
}

function formsOf(word: string): Concept {
  if (HAN.test(word)) {
    if (word.length < 3) return [word];
    return word.length === 3 ? [word, word.slice(0, 2)] : [word, word.slice(0, 2), word.slice(-2)];
  }
  const stem = stemOf(word);
  return stem === word ? [word] : [word, stem];
}

/** A plain English stem: only the endings that make one word out of another's forms. */
function stemOf(word: string): string {
  if (!/^[a-z]+$/u.test(word)) return word;
  const endings: readonly (readonly [RegExp, string, number])[] = [
    [/ies$/u, 'y', 5],
    [/(ss|sh|ch|x)es$/u, '$1', 5],
    [/([^su])s$/u, '$1', 4],
    [/([bdfglmnprt])\1ing$/u, '$1', 6],
    [/([bdfglmnprt])\1ed$/u, '$1', 6],
    [/ing$/u, '', 6],
    [/ed$/u, '', 5],
  ];
  for (const [ending, replacement, shortest] of endings) {
    if (word.length >= shortest && ending.test(word)) return word.replace(ending, replacement);
  }
  return word;
}
