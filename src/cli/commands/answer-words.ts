import type { Locale } from '../../../machines/vocabulary/json.ts';
import { printable, printableJson } from '../../../machines/vocabulary/printable.ts';
import type { PostedAnswer } from '../../run/runs.types.ts';
import { commandLine } from '../command-line.ts';
import { sayRefusal } from '../error-texts.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { LookFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { say } from '../texts.ts';

/** Who answers from a terminal; see `PersonStep.by`. */
export const TERMINAL = 'terminal';

export interface TellOptions {
  readonly runId: string;
  /** The answer in words, such as `denial of 1.0`. */
  readonly what: string;
  readonly flags: LookFlags;
  readonly io: Io;
  readonly locale: Locale;
}

/** Says what became of an answer: taken, refused, or waiting, and then how the run goes on. */
export function tellPosted(
  { drivenBy, result }: PostedAnswer,
  { runId, what, flags, io, locale }: TellOptions,
): ExitCode {
  const exitCode = result?.accepted === false ? EXIT.failed : EXIT.done;
  if (flags.json) {
    io.stdout.write(`${printableJson({ runId, drivenBy, result, exitCode }, 2)}\n`);
    return exitCode;
  }
  if (result?.accepted === false) {
    io.stderr.write(
      `${printable(say(locale, 'refused', { message: sayRefusal(result, locale) }))}\n`,
    );
    return exitCode;
  }
  const owner = drivenBy ?? '';
  const name = result !== null ? 'taken' : drivenBy === null ? 'waitsInInbox' : 'notTakenYet';
  const lines = [say(locale, name, { run: runId, owner, what })];
  if (result === null && drivenBy !== null) lines.push(say(locale, 'freeSoon'));
  if (result === null) lines.push(`${say(locale, 'goOn')}${commandLine(['resume', runId], flags)}`);
  io.stdout.write(`${printable(lines.join('\n'))}\n`);
  return exitCode;
}
