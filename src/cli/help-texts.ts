import type { LocalizedText } from '../../machines/vocabulary/json.ts';
import { RUN_HELP } from './help-run-texts.ts';

/** What `--help` says, in both languages. */
export const HELP = {
  ...RUN_HELP,
  about: {
    zh: '一个智能体：用自然语言交代任务，它选择工具、请求批准、执行，并给出答案。',
    en: 'An agent: give it a task in plain words; it chooses tools, asks for permission, runs them and answers.',
  },
  run: {
    zh: '完成一项任务；答案输出到 stdout，过程输出到 stderr',
    en: 'do one task; the answer goes to stdout, all else to stderr',
  },
  task: {
    zh: '要做的事，一个参数；- 或不写则从 stdin 读',
    en: 'what to do, as one argument; - or nothing reads it from stdin',
  },
  chat: { zh: '对话：每行一个任务，接着上文', en: 'a conversation, one task per line' },
  tools: { zh: '列出工具和它们的权限策略', en: 'list the tools and what covers them' },
  graph: { zh: '输出状态图', en: 'print the chart of the machine' },
  config: {
    zh: '列出生效的每项设置及其来源',
    en: 'list every setting in effect and where it comes from',
  },
  demo: {
    zh: '演示：四项任务，不需要密钥和网络',
    en: 'four tasks, without a key or a network',
  },
  help: { zh: '查看某个命令的帮助', en: 'help for a command' },
  helpAbout: { zh: '哪个命令', en: 'which command' },
  helpOption: { zh: '查看帮助', en: 'show help' },
  version: { zh: '查看版本', en: 'show the version' },

  grant: {
    zh: '为这次运行预先批准，逗号分隔：outside（允许区域之外）、service（未列入的服务）、overwrite（覆盖文件）、use、hook',
    en: 'approve beforehand for this run, by commas: outside (the allowed area), service (not on the list), overwrite (a file), use, hook',
  },
  onAsk: {
    zh: '不询问而是：deny 拒绝（没有终端时的默认）；wait 让运行在存储里等待答复',
    en: 'instead of asking: deny (the default without a terminal), or wait, which leaves the run waiting in the store',
  },
  quiet: { zh: '只输出答案', en: 'nothing but the answer' },
  json: { zh: '结束时输出一个 JSON 对象；不询问', en: 'one JSON object at the end; never asks' },
  jsonStream: {
    zh: '每个事件输出一行 JSON；不询问',
    en: 'every event as one line of JSON; never asks',
  },
  asJson: { zh: '以 JSON 输出', en: 'as JSON' },
  format: { zh: 'mermaid 或 json', en: 'mermaid or json' },
  configFile: {
    zh: '配置文件（默认：当前目录的 agenthub.config.json）',
    en: 'configuration file (default: agenthub.config.json where you are)',
  },
  ignoreConfig: {
    zh: '不用当前目录里没有指明的 agenthub.config.json',
    en: 'leave an agenthub.config.json alone that is merely where you are',
  },
  trust: {
    zh: '信任一个目录带来的配置和存储的运行；先说明它们会做什么',
    en: 'trust the configuration and stored runs that a folder brings; says first what they would do',
  },
  trustPath: {
    zh: '目录，或其中的配置文件或数据库（默认：当前目录）',
    en: 'the folder, or its configuration or database (default: where you are)',
  },
  trustList: { zh: '列出信任的', en: 'list what is trusted' },
  trustRevoke: { zh: '不再信任', en: 'trust it no longer' },
  trustYes: { zh: '不询问（用于脚本）', en: 'without a question, for scripts' },
  extension: {
    zh: '自己的工具、钩子和策略：一个 JavaScript 模块，它的代码会运行；不能写在配置文件里',
    en: 'tools, hooks and policies of your own: a JavaScript module, whose code runs; not from a configuration',
  },
  provider: {
    zh: 'offline、glm、deepseek、ollama 或 openai',
    en: 'offline, glm, deepseek, ollama or openai',
  },
  model: { zh: '模型名，如 glm-4.6', en: "the model's name, such as glm-4.6" },
  baseUrl: { zh: '任何兼容 OpenAI 的接口地址', en: 'any OpenAI-compatible endpoint' },
  protocol: {
    zh: 'native-calls（原生工具调用）或 react-text（文本）',
    en: 'native-calls or react-text (for models without tool calls)',
  },
  locale: { zh: 'zh 或 en', en: 'zh or en' },
  knowledge: { zh: '可检索的 Markdown 目录', en: 'folder of Markdown files that may be searched' },

  usageTitle: { zh: '用法：', en: 'Usage:' },
  argumentsTitle: { zh: '参数：', en: 'Arguments:' },
  optionsTitle: { zh: '选项：', en: 'Options:' },
  commandsTitle: { zh: '命令：', en: 'Commands:' },
  optionsWord: { zh: '[选项]', en: '[options]' },
  commandWord: { zh: '[命令]', en: '[command]' },

  after: {
    zh: `
例子：
  agenthub run "七天无理由退货的运费由谁承担？"
  agenthub run "把 photo.jpg 缩放到 320 宽，存成 small.webp" --grant overwrite
  AGENTHUB_API_KEY=… agenthub chat --provider glm --model glm-4.6

环境变量：
  AGENTHUB_PROVIDER AGENTHUB_MODEL AGENTHUB_BASE_URL AGENTHUB_PROTOCOL
  AGENTHUB_LOCALE AGENTHUB_KNOWLEDGE AGENTHUB_STORE AGENTHUB_API_KEY
  AGENTHUB_EXTENSION（绝对路径）
  NO_COLOR 不用颜色；FORCE_COLOR 总用颜色；TERM=dumb 不用光标控制`,
    en: `
Examples:
  agenthub run "Who pays the postage when I return something within seven days?"
  agenthub run "Resize photo.jpg to 320 px wide as small.webp" --grant overwrite
  AGENTHUB_API_KEY=… agenthub chat --provider glm --model glm-4.6

Environment:
  AGENTHUB_PROVIDER AGENTHUB_MODEL AGENTHUB_BASE_URL AGENTHUB_PROTOCOL
  AGENTHUB_LOCALE AGENTHUB_KNOWLEDGE AGENTHUB_STORE AGENTHUB_API_KEY
  AGENTHUB_EXTENSION (an absolute path)
  NO_COLOR for no colours, FORCE_COLOR for colours always,
  TERM=dumb for no cursor codes`,
  },
  groupWork: { zh: '做任务：', en: 'Do a task:' },
  groupRuns: { zh: '存储的运行：', en: 'Stored runs:' },
  groupKnow: { zh: '查看与证明：', en: 'Know and prove:' },
  afterChat: {
    zh: `
退出码是结束得最差的那次运行的，由好到差：0、3、5、130、1、4；
在终端按 Ctrl-C 取消的不算。见 agenthub run --help。`,
    en: `
The exit code is that of the run that ended worst, from good to bad: 0, 3, 5,
130, 1, 4; one cancelled by Ctrl-C at the terminal does not count.
See agenthub run --help.`,
  },
  afterTrust: {
    zh: `
目录里的 agenthub.config.json 可以收紧，不能放松：发往哪里、更宽的权限和目录、
指示、更高的上限，要先信任才生效。信任针对文件现在的内容，改动后会再问；
目录带来的 .agenthub/runs.db 里的批准，也要先信任才算数。
用 --config 指明的文件不需要信任。`,
    en: `
A folder's agenthub.config.json may tighten and not loosen: where things are
sent, wider permissions and folders, instructions and higher limits take effect
once it is trusted, as it is now; after a change it is asked about again.
Approvals in a .agenthub/runs.db that came with a folder count once that is
trusted. A file named by --config needs no trust.`,
  },
  afterRun: {
    zh: `
询问批准时：y 批准这一次，n 拒绝并可说明理由，Esc 拒绝，o 打开检查器页面；
回车不起作用。
Ctrl-C 一次取消运行，两次立即退出。

退出码：
  0 完成   1 失败   2 用法或配置有误   3 有调用在等待，或因无人可问而被拒绝
  4 没有密钥或密钥被拒   5 已暂停   130 被中断
  143、129 收到 SIGTERM、SIGHUP：存储的运行可以马上接着运行`,
    en: `
When it asks: y approves once, n denies (with a reason if you like), Esc denies,
o opens the inspector page; Enter does nothing.
Ctrl-C once cancels the run, twice leaves at once.

Exit codes:
  0 done   1 failed   2 usage or configuration
  3 a call waits, or was denied because nobody could be asked
  4 no key, or refused   5 suspended   130 interrupted
  143, 129 told to leave by SIGTERM, SIGHUP: a stored run can go on at once`,
  },
} as const satisfies Record<string, LocalizedText>;
