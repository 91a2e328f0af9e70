import type { CommanderError } from 'commander';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import { say, type TextName } from './texts.ts';

/** Commander's complaints by code, and what of theirs is told. */
const TEXTS: Readonly<Record<string, TextName>> = {
  'commander.unknownOption': 'unknownOption',
  'commander.unknownCommand': 'unknownCommand',
  'commander.missingArgument': 'missingArgument',
  'commander.optionMissingArgument': 'missingValue',
  'commander.missingMandatoryOptionValue': 'missingOption',
  'commander.excessArguments': 'tooManyArguments',
};

/**
 * What the parser complains of, in words of our own that name the command's own help. Help and
 * version, which it throws too, stay as they are.
 */
export function commanderError(
  error: CommanderError,
  command: string,
  locale: Locale,
): CommanderError | AgentHubError<'usage'> {
  const name = TEXTS[error.code];
  if (name === undefined) return error;
  const { message } = error;
  const [expected = '', given = ''] = /Expected (\d+) .*got (\d+)/u.exec(message)?.slice(1) ?? [];
  const what = /'(.*?)'/u.exec(message)?.[1] ?? '';
  const meant = /\(Did you mean (?:one of )?(.+)\?\)/u.exec(message)?.[1] ?? '';
  const parts = [
    say(locale, name, { what, expected, given }),
    ...(name === 'tooManyArguments' && command === 'agenthub run'
      ? [say(locale, 'quoteTask')]
      : []),
    ...(meant === '' ? [] : [say(locale, 'didYouMean', { words: meant })]),
    say(locale, 'helpHint', { command }),
  ];
  return new AgentHubError('usage', parts.join(''));
}
