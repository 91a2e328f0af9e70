import type { LocalizedText } from '../../../machines/vocabulary/json.ts';

/** What is said of trust. `{name}` stands for a value. */
export const TRUST_TEXTS = {
  fileWould: {
    zh: '{file} 是这个目录带来的，没有人信任过它。它会：',
    en: '{file} came with this folder and nobody has trusted it. It would do this:',
  },
  fileUntrusted: {
    zh: '{file} 是这个目录带来的，没有人信任过它。它会：\n{what}\n什么也没有做。看过之后信任它：agenthub trust；或者指明它：--config <文件>；或者不用它：--ignore-config。',
    en: '{file} came with this folder and nobody has trusted it. It would do this:\n{what}\nNothing was done. Look at it, then trust it: agenthub trust. Or name it: --config <file>. Or go on without it: --ignore-config.',
  },
  notTrusted: {
    zh: '没有信任 {file}，什么也没有做。不用它就写 --ignore-config。',
    en: '{file} was not trusted and nothing was done. --ignore-config goes on without it.',
  },
  trustInterrupted: { zh: '已中断，什么也没有做。', en: 'Interrupted; nothing was done.' },
  trustKeys: { zh: 'y 信任 · n 不信任', en: 'y trust it · n do not' },
  moreCharacters: { zh: '……（还有 {more} 个字符）', en: '… ({more} more characters)' },
  heldBackNote: {
    zh: '{file} 没有人信任过，这些没有生效：{names}。agenthub config 说明它们，agenthub trust 信任它。',
    en: 'Nobody has trusted {file}; held back: {names}. agenthub config tells more, agenthub trust trusts it.',
  },
  heldBackHead: {
    zh: '没有生效，因为没有人信任过 {file}（agenthub trust）：',
    en: 'Held back, because nobody has trusted {file} (agenthub trust):',
  },
  leadsOut: {
    zh: '{path} 是通到这个目录之外的链接：{real}。它若是你要的，就写明：--{name} <路径>。',
    en: '{path} is a link that leads out of this folder, to {real}. If that is meant, say so: --{name} <path>.',
  },
  configOrNot: {
    zh: '--config 和 --ignore-config：只能用一个。',
    en: '--config and --ignore-config: use one of them.',
  },
  foundDirection: {
    zh: '{path}：来自 {file}，它是目录带来的，没有人指明或信任过；什么也没有发出。',
    en: '{path}: comes from {file}, which was found and neither named nor trusted; nothing was sent.',
  },
  trustDamaged: {
    zh: '{file}：已损坏，读不了，所以什么都不算信任过。请修好或删除它，再用 agenthub trust。',
    en: '{file}: damaged, so nothing counts as trusted. Mend or delete it, then use agenthub trust again.',
  },
  noHome: {
    zh: '没有主目录可以记下信任：请设置 HOME（或 XDG_CONFIG_HOME，绝对路径）。也可以指明文件：--config <文件>，--store <文件>。',
    en: 'There is no home folder to keep that in: set HOME (or XDG_CONFIG_HOME, absolute). Or name the file: --config <file>, --store <file>.',
  },
  storeUntrusted: {
    zh: '运行 {run} 有未完成的调用，而 {file} 不是在这里建立的：里面的批准不让任何东西开始。没有写入。看过之后（agenthub show {run}）信任它：agenthub trust；或者指明它：--store <文件>；或者从这些调用之前分叉：agenthub fork {run} --at {seq}。',
    en: 'Run {run} has open calls, and {file} was not made here: what was approved in it starts nothing. Nothing was written. Look (agenthub show {run}), then trust it: agenthub trust. Or name it: --store <file>. Or fork before these calls: agenthub fork {run} --at {seq}.',
  },
  storeWould: {
    zh: '{file} 不是在这里建立的，没有人信任过它。信任它，就让其中已批准的调用可以开始。',
    en: '{file} was not made here and nobody has trusted it. To trust it lets calls start that were approved in it.',
  },
  trustNothing: {
    zh: '{path}：没有什么需要信任。',
    en: '{path}: nothing here needs trust.',
  },
  trustNoPath: {
    zh: '{path}：没有这样的文件或目录。',
    en: '{path}: there is no such file or folder.',
  },
  trustOther: {
    zh: '{path}：不是 {name}，也不是存储运行的数据库；别的配置文件用 --config 指明，不需要信任。',
    en: '{path}: neither {name} nor a database of runs; another configuration is named by --config and needs no trust.',
  },
  trustNeedsYes: {
    zh: '没有终端可以询问；看过之后用 --yes。什么也没有信任。',
    en: 'There is no terminal to ask at; look at it, then use --yes. Nothing was trusted.',
  },
  listOrRevoke: {
    zh: '--list、--revoke 和 --yes：只能用一个。',
    en: '--list, --revoke and --yes: use one of them.',
  },
  trusted: { zh: '已信任 {file}', en: 'trusted {file}' },
  alreadyTrusted: { zh: '{file} 已经是信任的', en: '{file} is trusted already' },
  revoked: { zh: '不再信任 {file}', en: 'no longer trusted: {file}' },
  notRevoked: { zh: '{path}：没有信任过', en: '{path}: was not trusted' },
  noneTrusted: { zh: '还没有信任过什么。', en: 'Nothing is trusted yet.' },
  asTrusted: { zh: '信任', en: 'trusted' },
  changedSince: { zh: '信任之后改过，会再问', en: 'changed since; it will be asked about' },
  goneSince: { zh: '已不在', en: 'no longer there' },
  madeHere: { zh: '在这里建立', en: 'made here' },
} as const satisfies Record<string, LocalizedText>;
