import type { LocalizedText } from '../../machines/vocabulary/json.ts';

/** What `--help` says of the commands about stored runs, and of `verify`. */
export const RUN_HELP = {
  runs: { zh: '列出存储的运行，新的在前', en: 'list the stored runs, newest first' },
  show: {
    zh: '一次运行：时间线、每个决定和原因、用量、待办、等待的问题',
    en: 'one run: timeline, every decision with its reasons, usage, to-do list, open questions',
  },
  resume: {
    zh: '接着一次存储的运行：在这里驱动；由别的进程驱动时请它接着运行',
    en: 'go on with a stored run here; where another process drives it, ask that one to',
  },
  approve: { zh: '批准一次运行的一个调用', en: 'approve one call of a run' },
  deny: { zh: '拒绝一次运行的一个调用', en: 'deny one call of a run' },
  cancel: {
    zh: '取消一次运行；没有进程在驱动时立即结束它',
    en: 'cancel a run; one that nobody drives ends at once',
  },
  why: {
    zh: '一个调用为什么是这样：考虑过的每条规则、钩子和批准，谁决定，怎样会不同',
    en: 'why a call came out as it did: every rule, hook and approval considered, what decided, what would change it',
  },
  replay: {
    zh: '逐条重放一次运行的记录；只读',
    en: "replay a run's records one by one; reads only",
  },
  fork: {
    zh: '用一次运行的前几条记录开一个新运行',
    en: "start a new run from a run's first records",
  },
  policyCheck: {
    zh: '换一套策略，存储的运行里哪些决定会不同；有就以 1 退出',
    en: 'which decisions of the stored runs other policies would change; exits with 1 if any',
  },
  delete: { zh: '删除已经结束的运行', en: 'take runs that have ended out of the store' },
  export: { zh: '把一次运行导出为 NDJSON', en: 'a run as NDJSON' },
  inspect: {
    zh: '在浏览器里看运行、看状态图、答复问题；只在本机，地址带一次性的令牌',
    en: 'watch runs on the chart and answer questions in a browser; this machine only, with a new token in the address',
  },
  import: { zh: '导入一次导出的运行', en: 'take in an exported run' },
  verify: {
    zh: '在状态机的每条路径上检查性质（自带的，或你的配置和性质）',
    en: 'check properties on every path of the machine: the shipped ones, or your configuration and your own',
  },

  runId: {
    zh: '运行编号，或能唯一确定它的开头几位',
    en: 'id of the run, or enough of its beginning',
  },
  callId: { zh: '调用编号，如 1.0', en: 'id of the call, such as 1.0' },
  store: {
    zh: '运行存储的数据库文件（默认：当前目录的 .agenthub/runs.db）',
    en: 'database file that runs are kept in (default: .agenthub/runs.db where you are)',
  },
  noStore: { zh: '不存储运行', en: 'keep no runs' },
  status: {
    zh: '只列出：running、interrupted、waiting、suspended、done、failed 或 cancelled',
    en: 'only these: running, interrupted, waiting, suspended, done, failed or cancelled',
  },
  search: { zh: '编号或任务里有这段文字', en: 'text that the id or the task holds' },
  limit: { zh: '最多列出几个（默认 20）', en: 'at most so many (default 20)' },
  grantCall: {
    zh: '只批准这些，逗号分隔：outside、service、overwrite、use、hook、repeat（默认：缺少的全部）',
    en: 'approve only these, by commas: outside, service, overwrite, use, hook, repeat (default: all that is missing)',
  },
  shown: {
    zh: '所批准的问题，由 agenthub show 给出；在终端上省略时，先显示问题再问',
    en: 'what is approved, as agenthub show names it; left out at a terminal, the question is shown and asked',
  },
  expires: { zh: '批准的有效时间，如 10m', en: 'how long the approval holds, such as 10m' },
  reason: { zh: '拒绝的理由，会告诉模型', en: 'why not; the model is told' },
  resumeToo: {
    zh: '没有进程在驱动时，就在这里接着运行',
    en: 'go on with the run here where nobody drives it',
  },
  onAskStored: {
    zh: '没有人可以询问时：wait 继续等待（默认）；deny 拒绝',
    en: 'where nobody can be asked: wait (the default) leaves it waiting, deny denies',
  },
  turns: { zh: '模型请求次数的新上限', en: 'new limit of model requests' },
  toolCalls: { zh: '工具调用次数的新上限', en: 'new limit of tool calls' },
  tokens: { zh: 'token 的新上限', en: 'new limit of tokens' },
  time: { zh: '工作时间的新上限，如 30m', en: 'new limit of time at work, such as 30m' },
  repairs: { zh: '修正回复次数的新上限', en: 'new limit of replies sent back' },
  stopBlocks: { zh: 'Stop 钩子阻止次数的新上限', en: 'new limit of blocks by Stop hooks' },
  to: { zh: '重放到第几条记录', en: 'the last record to replay' },
  at: { zh: '保留到第几条记录', en: 'the last record to keep' },
  policies: {
    zh: 'current：新运行用现在配置的策略（默认用当时的）',
    en: 'current: the new run has the policies configured now (default: those of the run)',
  },
  policyFile: {
    zh: '策略的 JSON 文件，或带 permissions.policies 的配置文件',
    en: 'JSON file of policies, or a configuration file with permissions.policies',
  },
  older: {
    zh: '所有这么久没有变化、已经结束的运行，例如 30d',
    en: 'every run that ended and has not changed for so long, such as 30d',
  },
  output: { zh: '写入这个文件：要么完整，要么没有', en: 'write to this file, whole or not at all' },
  exportFile: { zh: '导出的文件', en: 'exported file' },
  port: { zh: '端口（默认：任意空闲端口）', en: 'port (default: any free one)' },
  open: {
    zh: '用浏览器打开（地址会出现在进程列表里：与别人共用的机器上请自己打开）',
    en: 'open it in a browser (other users of this machine can see the address while it opens)',
  },
  inspectRun: {
    zh: '同时用检查器页面看这次运行；没有终端时在页面上答复',
    en: 'serve the inspector page for this run too; without a terminal it is answered there',
  },
  stately: {
    zh: '把这次运行的状态转给 Stately 的网页检查器：stately.ai 会看到工具名、编号和数字，看不到内容',
    en: "relay this run's states to Stately's hosted inspector: stately.ai sees names of tools, ids and figures, no content",
  },
  as: { zh: '换一个运行编号', en: 'another id for the run' },
  force: {
    zh: '没有结束的也删除，只要没有进程在驱动它',
    en: 'also those that have not ended, if nobody drives them',
  },
  trusted: {
    zh: '文件是自己的：它未完成的调用可以接着做',
    en: 'the file is your own: its open calls may go on',
  },
  property: {
    zh: '导出 properties（可选 worlds）的模块',
    en: 'module that exports properties, and worlds if it has its own',
  },
  callsPerReply: {
    zh: '一次回复的调用数：1 或 2（默认 2）',
    en: 'calls per reply: 1 or 2 (default 2)',
  },
  html: { zh: '把报告写成网页', en: 'write the report as a page' },

  afterAnswer: {
    zh: `
答复存入运行的收件箱：有进程在驱动就由它收下；没有就等着，
加 --resume 由这个命令接着运行。`,
    en: `
An answer goes into the run's inbox: whoever drives the run takes it; with
nobody it waits, and --resume lets this command go on with the run.`,
  },
  afterList: {
    zh: `
running 而没有进程驱动的运行显示为 interrupted（已中断），
用 agenthub resume 接着运行。`,
    en: `
A run that says running while nobody drives it is shown as interrupted;
agenthub resume goes on with it.`,
  },
} as const satisfies Record<string, LocalizedText>;
