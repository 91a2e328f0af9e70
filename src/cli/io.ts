import type { ReadStream, WriteStream } from 'node:tty';
import pc from 'picocolors';

/** The process as the command line sees it. Only `main.ts` makes a real one. */
export interface Io {
  readonly stdin: ReadStream | NodeJS.ReadStream;
  readonly stdout: WriteStream | NodeJS.WriteStream;
  readonly stderr: WriteStream | NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Leaves at once. */
  readonly exit: (code: number) => void;
  /** Calls back on every Ctrl-C; gives back how to stop that. */
  readonly onInterrupt: (callback: () => void) => () => void;
}

/** Whether a person sits at the terminal: both ends of the conversation are one. */
export function isInteractive({ stdin, stderr, env }: Io): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && env.TERM !== 'dumb';
}

/** Colours for what goes to stderr: on a terminal, unless the environment says otherwise. */
export function colorsOf({ stderr, env }: Io) {
  if (env.NO_COLOR) return pc.createColors(false);
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return pc.createColors(true);
  return pc.createColors(stderr.isTTY === true && env.TERM !== 'dumb');
}

const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const KEPT = new Set(['\n', '\t', '\u200d', '\u200c']);

/**
 * Text from models, tools and files, made safe to print: control and formatting characters
 * (escape sequences, text direction) are shown as their code, line ends and tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROL, (character) => {
    if (KEPT.has(character)) return character;
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

/** The same on one line, cut to a number of characters. */
export function printableLine(text: string, length: number): string {
  const line = printable(text)
    .replace(/[\n\t]+/gu, ' ')
    .trimEnd();
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}
