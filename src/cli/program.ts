import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { toErrorData } from '../../machines/vocabulary/errors.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import { printable } from '../../machines/vocabulary/printable.ts';
import { commanderError } from './commander-errors.ts';
import { chatCommand } from './commands/chat-command.ts';
import { demoCommand } from './commands/demo-command.ts';
import { configCommand, graphCommand, toolsCommand } from './commands/info-commands.ts';
import { runCommand } from './commands/run-command.ts';
import { type TrustFlags, trustCommand } from './commands/trust-command.ts';
import type { VerifyFlags } from './commands/verify-command.ts';
import { localeOf } from './config.ts';
import { sayError } from './error-texts.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { CommonFlags, DriveFlags, LookFlags } from './flags.ts';
import { HELP } from './help-texts.ts';
import { addHelpCommand, helpIn } from './help-words.ts';
import { colorsOf, type Io } from './io.ts';
import { watchOutputs } from './output.ts';
import { packageFolder } from './package-folder.ts';
import { addRunCommands } from './program-runs.ts';

/** Runs the command line and gives its exit code, once all output is written. Never throws. */
export async function cli(args: readonly string[], io: Io): Promise<ExitCode> {
  const outputs = watchOutputs(io);
  const exitCode = await runProgram(args, io);
  const lost = await outputs.flushed();
  if (lost === null) return exitCode;
  complain(io, `stdout: ${lost.message}`);
  return exitCode === EXIT.done ? EXIT.failed : exitCode;
}

async function runProgram(args: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.done;
  const locale = localeOf({ env: io.env, flags: { locale: localeFlag(args) } });
  const program = createProgram(io, locale, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.usage;
    const error = toErrorData(thrown, 'error');
    complain(io, sayError(error, locale));
    return exitCodeOf(error.code);
  }
}

/** What names something that is not there was given wrongly: a run, a call, a record. */
const USAGE = new Set([
  'usage',
  'not_found',
  'ambiguous',
  'no_runs',
  'run_unknown',
  'call_unknown',
  'untrusted',
]);

function exitCodeOf(code: string): ExitCode {
  if (code === 'auth') return EXIT.auth;
  if (code === 'interrupted') return EXIT.interrupted;
  const isUsage = USAGE.has(code) || code.startsWith('invalid_');
  return isUsage && code !== 'invalid_export' ? EXIT.usage : EXIT.failed;
}

function complain(io: Io, message: string): void {
  io.stderr.write(`${colorsOf(io).red(printable(`agenthub: ${message}`))}\n`);
}

/** The language asked for, known before anything is parsed: help and complaints are in it too. */
function localeFlag(args: readonly string[]) {
  const at = args.findIndex((arg) => arg === '--locale' || arg.startsWith('--locale='));
  const value = args[at]?.split('=')[1] ?? args[at + 1];
  return { flag: '--locale', value: at < 0 ? undefined : value };
}

function createProgram(io: Io, locale: Locale, exit: (code: ExitCode) => void): Command {
  const text = (name: keyof typeof HELP) => HELP[name][locale];
  const program = new Command('agenthub')
    .description(text('about'))
    .version(version(), '-V, --version', text('version'))
    .helpOption('-h, --help', text('helpOption'))
    .helpCommand(false)
    .exitOverride((error) => {
      throw commanderError(error, 'agenthub', locale);
    })
    .configureOutput({
      // What is wrong is said where it is caught, in the person's language.
      outputError: () => {},
      writeOut: (out) => io.stdout.write(out),
      writeErr: (out) => io.stderr.write(out),
      getOutHelpWidth: () => io.stdout.columns || 80,
      getErrHelpWidth: () => io.stderr.columns || 80,
    })
    .configureHelp(helpIn(locale))
    .addHelpText('after', text('after'));
  const command = (usage: string, name: keyof typeof HELP) =>
    program
      .command(usage)
      .helpOption('-h, --help', text('helpOption'))
      .description(text(name))
      .exitOverride((error) => {
        throw commanderError(error, `agenthub ${usage}`, locale);
      });
  const configuring = (made: Command) =>
    made
      .option('--config <file>', text('configFile'))
      .option('--ignore-config', text('ignoreConfig'))
      .option('--extension <file>', text('extension'))
      .option('--provider <name>', text('provider'))
      .option('--model <name>', text('model'))
      .option('--base-url <url>', text('baseUrl'))
      .option('--protocol <name>', text('protocol'))
      .option('--locale <locale>', text('locale'))
      .option('--knowledge <folder>', text('knowledge'))
      .option('--store <file>', text('store'));

  program.commandsGroup(text('groupWork'));
  const starting = (made: Command) => configuring(made).option('--no-store', text('noStore'));
  starting(
    command('run', 'run')
      .argument('[task]', text('task'))
      .option('--grant <list>', text('grant'))
      .option('--on-ask <what>', text('onAsk'))
      .option('--inspect', text('inspectRun'))
      .option('--stately', text('stately'))
      .option('-q, --quiet', text('quiet'))
      .option('--json', text('json'))
      .option('--json-stream', text('jsonStream')),
  )
    .addHelpText('after', text('afterRun'))
    .action(async (task: string | undefined, flags: DriveFlags) =>
      exit(await runCommand(task, flags, io)),
    );
  starting(command('chat', 'chat'))
    .addHelpText('after', text('afterChat'))
    .action(async (flags: CommonFlags) => exit(await chatCommand(flags, io)));
  command('demo', 'demo')
    .option('--locale <locale>', text('locale'), 'zh')
    .action(async (flags: { locale?: string }) => exit(await demoCommand(flags, io)));
  addRunCommands({ program, io, text, command, configuring, exit });
  program.commandsGroup(text('groupKnow'));
  configuring(command('tools', 'tools').option('--json', text('asJson'))).action(
    async (flags: LookFlags) => exit(await toolsCommand(flags, io)),
  );
  starting(command('config', 'config').option('--json', text('asJson'))).action(
    async (flags: LookFlags) => exit(await configCommand(flags, io)),
  );
  command('trust', 'trust')
    .argument('[path]', text('trustPath'))
    .option('--list', text('trustList'))
    .option('--revoke', text('trustRevoke'))
    .option('--yes', text('trustYes'))
    .option('--locale <locale>', text('locale'))
    .addHelpText('after', text('afterTrust'))
    .action(async (path: string | undefined, flags: TrustFlags) =>
      exit(await trustCommand(path, flags, io)),
    );
  command('graph', 'graph')
    .option('--format <format>', text('format'))
    .option('--locale <locale>', text('locale'))
    .action((flags: { format?: string; locale?: string }) => exit(graphCommand(flags, io)));
  command('verify', 'verify')
    .option('--config <file>', text('configFile'))
    .option('--ignore-config', text('ignoreConfig'))
    .option('--extension <file>', text('extension'))
    .option('--property <file>', text('property'))
    .option('--calls <n>', text('callsPerReply'))
    .option('--locale <locale>', text('locale'))
    .option('--json', text('asJson'))
    .option('--html <file>', text('html'))
    .action(async (flags: VerifyFlags) => {
      // Loaded only here: exploring is no part of running.
      const { verifyCommand } = await import('./commands/verify-command.ts');
      exit(await verifyCommand(flags, io));
    });
  addHelpCommand(program, locale);
  return program;
}

function version(): string {
  const text = readFileSync(join(packageFolder(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
