import type { Argument, Command } from 'commander';
import type { Locale } from '../../machines/vocabulary/json.ts';
import { HELP } from './help-texts.ts';
import { usageError } from './usage-error.ts';
import { textWidth, wrapToWidth } from './width.ts';

/** `agenthub help [command]`. Commander's own shows everything for a command that is not there. */
export function addHelpCommand(program: Command, locale: Locale): void {
  program
    .command('help')
    .description(HELP.help[locale])
    .argument('[command]', HELP.helpAbout[locale])
    .option('--locale <locale>', HELP.locale[locale])
    .helpOption('-h, --help', HELP.helpOption[locale])
    .action((name: string | undefined) => {
      const found = program.commands.find((command) => command.name() === name);
      if (name !== undefined && found === undefined) throw usageError('noHelp', { what: name });
      (found ?? program).outputHelp();
    });
}

function termOf(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}

/** Help in one language, with columns that count wide characters as the screen does. */
export function helpIn(locale: Locale) {
  const words: Record<string, string> = {
    'Usage:': HELP.usageTitle[locale],
    'Arguments:': HELP.argumentsTitle[locale],
    'Options:': HELP.optionsTitle[locale],
    'Commands:': HELP.commandsTitle[locale],
  };
  return {
    styleTitle: (title: string) => words[title] ?? title,
    styleUsage: (usage: string) =>
      usage
        .replace('[options]', HELP.optionsWord[locale])
        .replace('[command]', HELP.commandWord[locale]),
    // Every command takes options: the word would only make the list narrower.
    subcommandTerm: (command: Command) =>
      [command.name(), ...command.registeredArguments.map(termOf)].join(' '),
    displayWidth: textWidth,
    boxWrap: (box: string, width: number) => wrapToWidth(box, Math.max(20, width)).join('\n'),
  };
}
