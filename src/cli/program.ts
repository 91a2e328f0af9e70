import { Command, CommanderError } from 'commander';
import { toErrorData } from '../../machines/vocabulary/errors.ts';
import { chatCommand } from './commands/chat-command.ts';
import { demoCommand } from './commands/demo-command.ts';
import { configCommand, graphCommand, toolsCommand } from './commands/info-commands.ts';
import { type RunFlags, runCommand } from './commands/run-command.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { CommonFlags } from './flags.ts';
import { colorsOf, type Io, printable } from './io.ts';

const USAGE_CODES = [
  'usage',
  'invalid_config',
  'invalid_options',
  'invalid_prompt',
  'invalid_model_options',
];

/** Runs the command line and gives its exit code. Never throws. */
export async function cli(args: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.done;
  const program = createProgram(io, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { code, message } = toErrorData(thrown, 'error');
    io.stderr.write(`${colorsOf(io).red(printable(`agenthub: ${message}`))}\n`);
    return USAGE_CODES.includes(code) || code.startsWith('invalid_') ? EXIT.usage : EXIT.failed;
  }
}

function createProgram(io: Io, exit: (code: ExitCode) => void): Command {
  const program = new Command('agenthub')
    .description('An LLM agent whose loop is a statechart. / 循环是一张状态图的智能体。')
    .exitOverride()
    .showHelpAfterError('(agenthub --help shows the commands / 查看命令)')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    });

  withAgent(program.command('run <task>'))
    .description('do one task; the answer goes to stdout / 完成一项任务')
    .option('--grant <list>', 'approve beforehand: outside,service,overwrite,use,hook / 预先批准')
    .option('--on-ask <what>', 'when nobody can be asked: deny, wait / 无人可问时')
    .option('-q, --quiet', 'show nothing but the answer / 只显示答案')
    .option('--json', 'print one JSON object at the end / 结束时输出 JSON')
    .option('--json-stream', 'print every event as a line of JSON / 逐行输出事件')
    .action(async (task: string, flags: RunFlags) => exit(await runCommand(task, flags, io)));
  withAgent(program.command('chat'))
    .description('a conversation, one task per line / 对话')
    .action(async (flags: CommonFlags) => exit(await chatCommand(flags, io)));
  withAgent(program.command('tools'))
    .description('the tools and what covers them / 工具与策略')
    .option('--json', 'as JSON')
    .action((flags: CommonFlags & { json?: boolean }) => exit(toolsCommand(flags, io)));
  program
    .command('graph')
    .description('the chart of the machine / 状态图')
    .option('--format <format>', 'mermaid or json', 'mermaid')
    .action((flags: { format?: string }) => exit(graphCommand(flags, io)));
  withAgent(program.command('config'))
    .description('the settings and where each comes from / 生效的配置')
    .option('--json', 'as JSON')
    .action((flags: CommonFlags & { json?: boolean }) => exit(configCommand(flags, io)));
  program
    .command('demo')
    .description('four tasks without a key or a network / 演示')
    .option('--locale <locale>', 'zh or en', 'zh')
    .action(async (flags: { locale?: string }) =>
      exit(await demoCommand({ locale: flags.locale === 'en' ? 'en' : 'zh' }, io)),
    );
  return program;
}

function withAgent(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file / 配置文件')
    .option('--provider <name>', 'offline, glm, deepseek, ollama, openai')
    .option('--model <name>', "the model's name at the provider / 模型名")
    .option('--base-url <url>', 'any OpenAI-compatible endpoint / 接口地址')
    .option('--protocol <name>', 'native-calls or react-text')
    .option('--locale <locale>', 'zh or en')
    .option('--knowledge <folder>', 'folder of Markdown files / 知识库目录');
}
