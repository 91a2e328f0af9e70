import type { Command } from 'commander';
import {
  type AnswerFlags,
  approveCommand,
  cancelCommand,
  denyCommand,
} from './commands/answer-commands.ts';
import {
  type ExportFlags,
  exportCommand,
  type ForkFlags,
  forkCommand,
  type ImportFlags,
  importCommand,
  policyCheckCommand,
} from './commands/copy-commands.ts';
import { type DeleteFlags, deleteCommand } from './commands/delete-command.ts';
import { type InspectFlags, inspectCommand } from './commands/inspect-command.ts';
import {
  type ReplayFlags,
  type RunsFlags,
  replayCommand,
  runsCommand,
  showCommand,
  whyCommand,
} from './commands/look-commands.ts';
import { type ResumeFlags, resumeStored } from './commands/resume-command.ts';
import type { ExitCode } from './exit-codes.ts';
import type { LookFlags } from './flags.ts';
import type { HELP } from './help-texts.ts';
import type { Io } from './io.ts';

/** What commands are made with. */
export interface CommandParts {
  readonly program: Command;
  readonly io: Io;
  readonly text: (name: keyof typeof HELP) => string;
  /** A new command with its help. */
  readonly command: (usage: string, name: keyof typeof HELP) => Command;
  /** Adds the flags of an agent. */
  readonly configuring: (made: Command) => Command;
  readonly exit: (code: ExitCode) => void;
}

/** Adds the commands about stored runs. */
export function addRunCommands({
  program,
  io,
  text,
  command,
  configuring,
  exit,
}: CommandParts): void {
  program.commandsGroup(text('groupRuns'));
  const looking = (made: Command) =>
    made
      .option('--config <file>', text('configFile'))
      .option('--ignore-config', text('ignoreConfig'))
      .option('--store <file>', text('store'))
      .option('--locale <locale>', text('locale'))
      .option('--json', text('asJson'));
  const knowing = (made: Command) => looking(made).option('--extension <file>', text('extension'));
  const driving = (made: Command) =>
    configuring(made)
      .option('--on-ask <what>', text('onAskStored'))
      .option('-q, --quiet', text('quiet'))
      .option('--json', text('json'))
      .option('--json-stream', text('jsonStream'));

  looking(
    command('runs', 'runs')
      .option('--status <status>', text('status'))
      .option('--search <text>', text('search'))
      .option('--limit <n>', text('limit')),
  )
    .addHelpText('after', text('afterList'))
    .action(async (flags: RunsFlags) => exit(await runsCommand(flags, io)));
  looking(command('show', 'show').argument('<run>', text('runId'))).action(
    async (run: string, flags: LookFlags) => exit(await showCommand(run, flags, io)),
  );
  driving(
    command('resume', 'resume')
      .argument('<run>', text('runId'))
      .option('--turns <n>', text('turns'))
      .option('--tool-calls <n>', text('toolCalls'))
      .option('--tokens <n>', text('tokens'))
      .option('--time <duration>', text('time'))
      .option('--repairs <n>', text('repairs'))
      .option('--stop-blocks <n>', text('stopBlocks'))
      .option('--grant <list>', text('grant')),
  ).action(async (run: string, flags: ResumeFlags) => exit(await resumeStored(run, flags, io)));

  const answering = (name: 'approve' | 'deny') =>
    command(name, name)
      .argument('<run>', text('runId'))
      .argument('<call>', text('callId'))
      .option('--resume', text('resumeToo'))
      .addHelpText('after', text('afterAnswer'));
  driving(
    answering('approve')
      .option('--shown <digest>', text('shown'))
      .option('--grant <list>', text('grantCall'))
      .option('--expires <duration>', text('expires')),
  ).action(async (run: string, call: string, flags: AnswerFlags) =>
    exit(await approveCommand({ run, call }, flags, io)),
  );
  driving(answering('deny').option('--reason <text>', text('reason'))).action(
    async (run: string, call: string, flags: AnswerFlags) =>
      exit(await denyCommand({ run, call }, flags, io)),
  );
  looking(command('cancel', 'cancel').argument('<run>', text('runId'))).action(
    async (run: string, flags: LookFlags) => exit(await cancelCommand(run, flags, io)),
  );

  looking(
    command('why', 'why').argument('<run>', text('runId')).argument('<call>', text('callId')),
  ).action(async (run: string, call: string, flags: LookFlags) =>
    exit(await whyCommand({ run, call }, flags, io)),
  );
  looking(
    command('replay', 'replay').argument('<run>', text('runId')).option('--to <n>', text('to')),
  ).action(async (run: string, flags: ReplayFlags) => exit(await replayCommand(run, flags, io)));
  knowing(
    command('fork', 'fork')
      .argument('<run>', text('runId'))
      .requiredOption('--at <n>', text('at'))
      .option('--policies <which>', text('policies')),
  ).action(async (run: string, flags: ForkFlags) => exit(await forkCommand(run, flags, io)));
  knowing(command('policy-check', 'policyCheck').argument('<file>', text('policyFile'))).action(
    async (file: string, flags: LookFlags) => exit(await policyCheckCommand(file, flags, io)),
  );
  command('inspect', 'inspect')
    .argument('[run]', text('runId'))
    .option('--config <file>', text('configFile'))
    .option('--ignore-config', text('ignoreConfig'))
    .option('--extension <file>', text('extension'))
    .option('--store <file>', text('store'))
    .option('--locale <locale>', text('locale'))
    .option('--port <n>', text('port'))
    .option('--open', text('open'))
    .action(async (run: string | undefined, flags: InspectFlags) =>
      exit(await inspectCommand(run, flags, io)),
    );
  looking(
    command('delete', 'delete')
      .argument('[runs...]', text('runId'))
      .option('--older <age>', text('older'))
      .option('--force', text('force')),
  ).action(async (runs: string[], flags: DeleteFlags) =>
    exit(await deleteCommand(runs, flags, io)),
  );
  looking(
    command('export', 'export')
      .argument('<run>', text('runId'))
      .option('--output <file>', text('output')),
  ).action(async (run: string, flags: ExportFlags) => exit(await exportCommand(run, flags, io)));
  looking(
    command('import', 'import')
      .argument('<file>', text('exportFile'))
      .option('--as <id>', text('as'))
      .option('--trusted', text('trusted')),
  ).action(async (file: string, flags: ImportFlags) => exit(await importCommand(file, flags, io)));
}
