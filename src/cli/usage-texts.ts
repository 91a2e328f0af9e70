import type { LocalizedText } from '../../machines/vocabulary/json.ts';

/** What a property is made of. */
const NEEDS = {
  zh: '一个性质要有 id 和 text（不空的文字），以及 violation 或 goal（函数）；agenthub/testing 的 always、never、onlyAfter、eventually 会造出这样的性质。',
  en: 'A property needs an id and a text (not empty), and violation or goal (functions); always, never, onlyAfter and eventually of agenthub/testing make such ones.',
} as const satisfies LocalizedText;

/** What an extension is made of. */
const EXPORTS = {
  zh: '扩展按名字导出 tools（工具的数组）、hooks（钩子的数组）、policies（工具名到策略），至少一个；shipped = false 不要自带的工具和钩子。',
  en: 'An extension has named exports: tools (an array), hooks (an array), policies (by tool name), at least one of them; shipped = false leaves out the shipped tools and hooks.',
} as const satisfies LocalizedText;

/** What is said of a command that was not written as it must be. `{name}` stands for a value. */
export const USAGE_TEXTS = {
  unknownOption: { zh: '没有选项 {what}', en: 'there is no option {what}' },
  unknownCommand: { zh: '没有命令 {what}', en: 'there is no command {what}' },
  missingArgument: { zh: '缺少参数 <{what}>', en: 'the argument <{what}> is missing' },
  missingValue: { zh: '选项 {what} 后面缺少值', en: 'the option {what} needs a value' },
  missingOption: { zh: '必须给出选项 {what}', en: 'the option {what} must be given' },
  tooManyArguments: {
    zh: '参数太多：要 {expected} 个，给了 {given} 个',
    en: 'too many arguments: {expected} wanted, {given} given',
  },
  noHelp: {
    zh: '没有命令 {what}\n（agenthub --help 查看用法）',
    en: 'there is no command {what}\n(agenthub --help shows how)',
  },
  quoteTask: {
    zh: '；几个词的任务要用引号括起来',
    en: '; a task of several words takes quotes',
  },
  didYouMean: { zh: '；是不是 {words}？', en: '; did you mean {words}?' },
  helpHint: { zh: '\n（{command} --help 查看用法）', en: '\n({command} --help shows how)' },

  unknownWord: {
    zh: '{flag}：不认识 "{word}"；允许：{allowed}。',
    en: '{flag}: "{word}" is not known; allowed: {allowed}.',
  },
  notGrantable: {
    zh: '--grant："{word}" 不能批准；可以用 {allowed}，逗号分隔。',
    en: '--grant: "{word}" cannot be granted; use {allowed}, separated by commas.',
  },
  notCount: {
    zh: '{flag}："{text}" 不是不小于 {least} 的整数。',
    en: '{flag}: "{text}" is no whole number from {least} on.',
  },
  notPort: {
    zh: '--port："{text}" 不是端口；端口是 1 到 65535 的整数。',
    en: '--port: "{text}" is no port; ports are whole numbers from 1 to 65535.',
  },
  approveWhat: {
    zh: '{call}：要批准的是什么？批准只对看过的问题有效。用 {show} 查看，其中有带 --shown 的批准命令；或在终端上运行这个命令，它会先显示问题。',
    en: '{call}: approve what? An approval counts for a question that was seen. {show} shows it, with the command that approves it (--shown); or run this command at a terminal, and it shows the question first.',
  },
  notDigest: {
    zh: '--shown："{text}" 不是问题的标识；请用 agenthub show 给出的 8 位以上十六进制数。',
    en: '--shown: "{text}" names no question; give the hexadecimal digits, 8 at least, that agenthub show gives.',
  },
  deleteWhich: {
    zh: '要删除哪些运行：写出编号，或用 --older 30d，二者之一。',
    en: 'Say which runs to delete: their ids, or --older 30d; one of the two.',
  },
  notDuration: {
    zh: '{flag}："{text}" 不是时长；请写成 30s、10m、2h 或 1d。',
    en: '{flag}: "{text}" is no duration; write 30s, 10m, 2h or 1d.',
  },
  oneJson: {
    zh: '--json 和 --json-stream：只能用一个。',
    en: '--json and --json-stream: use one of them.',
  },
  noTask: {
    zh: '没有任务：请写成一个参数，如 agenthub run "发票怎么开？"；- 从 stdin 读。\n（agenthub run --help 查看用法）',
    en: 'There is no task: give it as one argument, such as agenthub run "How do I get an invoice?"; - reads it from stdin.\n(agenthub run --help shows how)',
  },
  emptyTask: {
    zh: '任务是空的：请说明要做什么，如 agenthub run "发票怎么开？"。',
    en: 'The task is empty: say what is to be done, such as agenthub run "How do I get an invoice?".',
  },
  emptyInput: {
    zh: '任务是空的：stdin 里什么也没有。请写成 echo "发票怎么开？" | agenthub run -，或把任务写成参数。',
    en: 'The task is empty: nothing came from stdin. Write echo "How do I get an invoice?" | agenthub run -, or give the task as an argument.',
  },

  notLoaded: {
    zh: '{flag}：无法加载 {file}：{why}',
    en: '{flag}: {file} cannot be loaded: {why}',
  },
  notJavaScript: {
    zh: '{flag}：Node {version} 不能加载 {file}：必须是 Node 能直接加载的 JavaScript（.mjs 或 .js）。先编译它，或给 Node 一个加载器，如 NODE_OPTIONS="--import tsx"。',
    en: '{flag}: Node {version} cannot load {file}: it must be JavaScript that Node can load itself (.mjs or .js). Compile it first, or give Node a loader, such as NODE_OPTIONS="--import tsx".',
  },
  noSuchModule: {
    zh: '{flag}：没有文件 {file}。',
    en: '{flag}: there is no file {file}.',
  },
  neverLoaded: {
    zh: '{flag}：{file} 在 {seconds} 秒内没有加载完：它的顶层 await 在等一个不来的东西。',
    en: '{flag}: {file} has not finished loading after {seconds} s: a top-level await waits for what does not come.',
  },
  noProperties: {
    zh: '{flag}：{file} 必须导出数组，如 export const properties = [never("no-echo", starts({ tool: "echo" }))]；它的 properties 是 {found}。',
    en: '{flag}: {file} must export an array, such as export const properties = [never("no-echo", starts({ tool: "echo" }))]; its properties is {found}.',
  },
  notAProperty: {
    zh: `{flag}：{file}：properties[{index}] 不是对象。${NEEDS.zh}`,
    en: `{flag}: {file}: properties[{index}] is no object. ${NEEDS.en}`,
  },
  partsOfProperty: {
    zh: `{flag}：{file}：properties[{index}] 缺少或不对：{names}。${NEEDS.zh}`,
    en: `{flag}: {file}: properties[{index}]: missing or wrong: {names}. ${NEEDS.en}`,
  },
  propertyTwice: {
    zh: '{flag}：{file}：properties[{index}]：已经有 id 为 "{id}" 的性质；每个 id 只能用一次，自带的也算。',
    en: '{flag}: {file}: properties[{index}]: there is a property with the id "{id}" already; an id is used once, by the shipped ones too.',
  },
  notWorlds: {
    zh: '{flag}：{file}：worlds 必须是不空的数组，每一项有 name、world 和 replay（"all" 或正整数），如 hostWorlds(…) 给出的；不对的是：{what}。',
    en: '{flag}: {file}: worlds must be an array that is not empty, of objects with name, world and replay ("all" or a whole number), as hostWorlds(…) gives; what is wrong: {what}.',
  },

  extensionInFile: {
    zh: '扩展不能写在配置文件里：否则进入一个目录运行 agenthub 就会运行那里的代码。请用 --extension <文件>，或环境变量 AGENTHUB_EXTENSION',
    en: 'an extension cannot be named in a configuration: going into a folder and running agenthub would run its code. Use --extension <file>, or the environment variable AGENTHUB_EXTENSION',
  },
  extensionRelative: {
    zh: '"{file}" 不是绝对路径：相对路径会运行所在目录里的代码。请写绝对路径，或用 --extension <文件>',
    en: '"{file}" is no absolute path: a relative one would run the code of whatever folder you are in. Give an absolute one, or use --extension <file>',
  },
  extensionEmpty: {
    zh: `--extension：{file} 没有导出 tools、hooks 或 policies（它导出：{found}）。${EXPORTS.zh}`,
    en: `--extension: {file} exports no tools, hooks or policies (it exports: {found}). ${EXPORTS.en}`,
  },
  extensionName: {
    zh: `--extension：{file} 导出了 {found}，没有导出 {name}：是不是写错了？${EXPORTS.zh}`,
    en: `--extension: {file} exports {found} and no {name}: is it misspelled? ${EXPORTS.en}`,
  },
  extensionShipped: {
    zh: '--extension：{file}：shipped 是 {found}；允许：true（默认）| false（不要自带的工具和钩子）。',
    en: '--extension: {file}: shipped is {found}; allowed: true (the default) | false (without the shipped tools and hooks).',
  },
  extensionList: {
    zh: '--extension：{file}：{name} 是 {found}；要一个数组，每一项由 {wanted} 得来。',
    en: '--extension: {file}: {name} is {found}; it must be an array of what {wanted} gives.',
  },
  extensionPart: {
    zh: '--extension：{file}：{name}[{index}] 不对：{why}；要的是 {wanted} 得来的。',
    en: '--extension: {file}: {name}[{index}] is wrong: {why}; wanted is what {wanted} gives.',
  },
  extensionTwice: {
    zh: '--extension：{file}：{name}[{index}] 和 {name}[{first}] 都叫 "{called}"；名字只能用一次。',
    en: '--extension: {file}: {name}[{index}] and {name}[{first}] are both named "{called}"; a name is used once.',
  },
  extensionShippedName: {
    zh: '--extension：{file}：{name}[{index}] 叫 "{called}"，自带的里面已有这个名字。请换一个名字，或用 export const shipped = false 不要自带的工具和钩子。',
    en: '--extension: {file}: {name}[{index}] is named "{called}", as a shipped one is. Give it another name, or leave out the shipped tools and hooks: export const shipped = false.',
  },
  extensionStrays: {
    zh: '--extension：{file}：policies 写了没有的工具：{names}。工具有：{tools}。',
    en: '--extension: {file}: policies names tools that are not there: {names}. There are: {tools}.',
  },
  extensionPolicies: {
    zh: '--extension：{file}：\n{problems}',
    en: '--extension: {file}:\n{problems}',
  },
  sameExtension: {
    zh: '开始时用了扩展的，请写上同一个：--extension <文件>。',
    en: ' If it began with an extension, name the same one: --extension <file>.',
  },
} as const satisfies Record<string, LocalizedText>;
