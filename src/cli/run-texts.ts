import type { LocalizedText } from '../../machines/vocabulary/json.ts';

/** What the commands about stored runs say. */
export const RUN_TEXTS = {
  storedRun: { zh: '已存为运行 {run}', en: 'stored as run {run}' },
  waitsFor: {
    zh: '运行 {run} 在等待批准。用下面的命令答复；加上 --resume 就接着运行：',
    en: 'Run {run} waits for permission. Answer with these; add --resume to go on at once:',
  },
  stopped: {
    zh: '收到 {signal}：运行 {run} 已放手，谁都可以马上接着运行：',
    en: 'Told to leave by {signal}: run {run} is let go of and can go on at once: ',
  },
  stoppedUnstored: {
    zh: '收到 {signal}：运行停在这里；它没有存储，不能接着运行。',
    en: 'Told to leave by {signal}: the run ends here; it was not stored and cannot go on.',
  },
  goOn: { zh: '接着运行：', en: 'To go on: ' },

  noStore: {
    zh: '没有配置运行存储：这个命令需要一个。去掉 --no-store（或配置里的 "store": false），或用 --store <文件>。',
    en: 'No store is configured, and this command needs one. Leave out --no-store (or "store": false in the configuration), or name one with --store <file>.',
  },
  waitNeedsStore: {
    zh: '--on-ask wait：运行只能在存储里等待；去掉 --no-store（或配置里的 "store": false）。',
    en: '--on-ask wait: a run can only wait where it is stored; leave out --no-store (or "store": false in the configuration).',
  },
  noStoredRuns: {
    zh: '还没有存储的运行：{file} 不存在。',
    en: 'There are no stored runs yet: {file} is not there.',
  },
  noRuns: { zh: '没有这样的运行。', en: 'There are no such runs.' },
  unknownRun: {
    zh: '{file} 里没有运行 {run}。最近的运行：',
    en: 'There is no run {run} in {file}. The latest ones:',
  },
  noRunAtAll: {
    zh: '{file} 里没有运行 {run}：里面还没有任何运行。',
    en: 'There is no run {run} in {file}: it holds none yet.',
  },
  ambiguousRun: {
    zh: '有 {count} 个运行的编号以 {run} 开头，请多写几位：',
    en: '{count} runs have an id that begins with {run}; give more of it:',
  },
  unknownCall: {
    zh: '运行 {run} 没有调用 {call}。它的调用：{calls}。',
    en: 'Run {run} has no call {call}. Its calls: {calls}.',
  },
  none: { zh: '没有', en: 'none' },

  task: { zh: '任务', en: 'task' },
  status: { zh: '状态', en: 'status' },
  begun: { zh: '开始', en: 'begun' },
  usage: { zh: '用量', en: 'usage' },
  answer: { zh: '答案', en: 'answer' },
  ended: { zh: '结局', en: 'end' },
  ago: { zh: '{age} 前', en: '{age} ago' },
  drivenBy: { zh: '由 {owner} 驱动', en: 'driven by {owner}' },
  drivenByNobody: { zh: '没有进程在驱动', en: 'nobody drives it' },
  requests: { zh: '{count} 次请求', en: '{count} requests' },
  oneRequest: { zh: '1 次请求', en: '1 request' },
  timeline: { zh: '时间线', en: 'Timeline' },
  decisions: { zh: '调用和决定', en: 'Calls and decisions' },
  openQuestions: { zh: '等待答复', en: 'Open questions' },
  waitingAnswers: { zh: '还没有被取走的答复', en: 'Answers that nobody has taken yet' },

  taken: {
    zh: '驱动运行 {run} 的 {owner} 收下了：{what}',
    en: '{owner}, which drives run {run}, took it: {what}',
  },
  notTakenYet: {
    zh: '{owner} 在驱动运行 {run}，但还没有收下；答复在收件箱里等着：{what}',
    en: '{owner} drives run {run} and has not taken it yet; it waits in the inbox: {what}',
  },
  waitsInInbox: {
    zh: '没有进程在驱动运行 {run}；答复已存下，等它接着运行时生效：{what}',
    en: 'Nobody drives run {run}; the answer is stored and counts when it goes on: {what}',
  },
  answeredAlready: {
    zh: '{call} 已经答复过，答复还在等进程来驱动这次运行：{what}',
    en: '{call} was answered already, and the answer waits for somebody to drive the run: {what}',
  },
  answerKept: {
    zh: '答复已存在运行 {run} 的收件箱里，由下一个驱动它的进程收下：{what}',
    en: 'The answer is kept in the inbox of run {run} for whoever drives it next: {what}',
  },
  deleted: { zh: '已删除的运行：{count}', en: 'Runs deleted: {count}' },
  cancelledOne: { zh: '运行 {run} 已取消。', en: 'Run {run} was cancelled.' },
  approves: { zh: '批准 {call}（{approvals}）', en: 'approval of {call} ({approvals})' },
  denies: { zh: '拒绝 {call}', en: 'denial of {call}' },
  cancels: { zh: '取消', en: 'cancellation' },
  resumes: { zh: '接着运行', en: 'resumption' },
  openCalls: { zh: '等待答复的调用：{calls}', en: 'Calls that wait for an answer: {calls}' },
  endedAlready: {
    zh: '运行 {run} 已经结束（{status}），不能接着运行。',
    en: 'Run {run} has ended ({status}); it cannot go on.',
  },
  drivenElsewhere: {
    zh: '运行 {run} 由 {owner} 驱动。',
    en: 'Run {run} is driven by {owner}.',
  },
  mustRaise: {
    zh: '运行 {run} 停在 {reason}；接着运行要提高这个上限：',
    en: 'Run {run} stopped at {reason}; to go on, raise that limit: ',
  },
  notRaised: {
    zh: '运行 {run} 停在 {reason}；给出的上限没有高过原来的。',
    en: 'Run {run} stopped at {reason}, and what was given does not raise it.',
  },

  freeSoon: {
    zh: '如果那个进程已经不在，最多 15 秒后就可以接手。',
    en: 'If that process is gone, the run can be taken over in 15 seconds at most.',
  },
  limitsIgnored: {
    zh: '运行 {run} 没有暂停：给出的上限不起作用。',
    en: 'Run {run} was not suspended: the limits given do not count.',
  },

  colon: { zh: '：', en: ': ' },
  decidedBy: { zh: '决定者', en: 'decided by' },
  wouldChange: { zh: '怎样会不同', en: 'what would change it' },
  asksFor: { zh: '模型要求 {tool}', en: 'the model asked for {tool}' },
  hooksSay: { zh: '钩子 {hooks}：{verdict}', en: 'hooks {hooks}: {verdict}' },
  newInput: { zh: '钩子改了输入：', en: 'a hook replaced the input: ' },
  decides: { zh: '评估：{action}', en: 'evaluated: {action}' },
  facts: { zh: '事实', en: 'facts' },
  lifted: { zh: '（已由批准解除）', en: ' (lifted by an approval)' },
  grantConsidered: {
    zh: '批准：{by}（{approvals}）{stands}',
    en: 'approval by {by} ({approvals}){stands}',
  },
  grantHolds: { zh: '，有效', en: ', holds' },
  grantChanged: {
    zh: '，已失效：它所针对的内容变了',
    en: ', void: what it was given for has changed',
  },
  grantExpired: { zh: '，已过期', en: ', expired' },
  granted: { zh: '{by} 批准（{approvals}）', en: 'approved by {by} ({approvals})' },
  deniedBy: { zh: '{by} 拒绝', en: 'denied by {by}' },
  expiredAnswer: { zh: '没有人及时答复', en: 'nobody answered in time' },
  cancelledBy: { zh: '{by} 取消了运行', en: 'the run was cancelled by {by}' },
  until: { zh: '有效到 {time}', en: 'until {time}' },
  starts: { zh: '第 {attempt} 次执行开始', en: 'start {attempt}' },
  lost: {
    zh: '第 {attempt} 次执行没有留下结果：可能已经生效',
    en: 'start {attempt} left no result: it may have taken effect',
  },
  settles: { zh: '结果：{outcome}', en: 'came out: {outcome}' },
  stage: { zh: '状态：{stage}', en: 'stands: {stage}' },

  noSuchTools: {
    zh: '没有这些工具，关于它们的策略什么也不会改变：{names}。工具有：{tools}；自己的工具用 --extension <文件> 带上。',
    en: 'There are no such tools, and policies for them change nothing: {names}. There are: {tools}; tools of your own come with --extension <file>.',
  },
  forked: {
    zh: '新运行 {new} 来自 {run} 的前 {records} 条记录',
    en: 'new run {new}, from the first {records} records of {run}',
  },
  noFlips: {
    zh: '{runs} 个运行、{decisions} 个决定：没有一个会不同。',
    en: 'Runs: {runs}, decisions: {decisions}. None would come out otherwise.',
  },
  flips: {
    zh: '{runs} 个运行、{decisions} 个决定，其中 {flips} 个会不同。',
    en: 'Runs: {runs}, decisions: {decisions}. Would come out otherwise: {flips}.',
  },
  unreadableRuns: {
    zh: '没有检查、因为读不了的运行：{runs}',
    en: 'Not checked, because they cannot be read: {runs}',
  },
  written: { zh: '已写入 {file}', en: 'written to {file}' },
  notWritten: {
    zh: '无法写入 {file}（{why}）；没有留下半个文件。',
    en: '{file} cannot be written ({why}); no half file was left.',
  },
  newStore: {
    zh: '{file} 是新的，里面还没有运行；用 agenthub run 开始一个。',
    en: '{file} is new and holds no runs yet; agenthub run starts one.',
  },
  emptyStore: {
    zh: '{file} 里还没有运行；用 agenthub run 开始一个。',
    en: '{file} holds no runs yet; agenthub run starts one.',
  },
  inspecting: {
    zh: '有这个地址的人都能批准调用：不要给别人。Ctrl-C 结束。',
    en: 'Whoever has this address may approve calls: keep it to yourself. Ctrl-C ends it.',
  },
  watchRun: {
    zh: '在浏览器里看这次运行并答复：',
    en: 'Watch this run and answer it in a browser: ',
  },
  watchStately: {
    zh: '在 Stately 的检查器里看（stately.ai 会看到工具名、编号和数字）：',
    en: "Watch in Stately's inspector (stately.ai sees names of tools, ids and figures): ",
  },
  notOpened: {
    zh: '浏览器没有打开；请自己打开上面的地址。',
    en: 'No browser could be opened; open the address above yourself.',
  },
  inspectNeedsStore: {
    zh: '--inspect：页面看的是存储的运行，请不要同时用 --no-store。',
    en: '--inspect: the page shows stored runs; leave out --no-store.',
  },
  imported: { zh: '已导入为运行 {run}', en: 'imported as run {run}' },
} as const satisfies Record<string, LocalizedText>;
