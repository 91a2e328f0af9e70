import { createInterface } from 'node:readline';
import type { Locale } from '../../../machines/vocabulary/json.ts';
import type { Message } from '../../../machines/vocabulary/messages.ts';
import { printable } from '../../../machines/vocabulary/printable.ts';
import type { TodoItem } from '../../../machines/vocabulary/todos.ts';
import type { Agent } from '../../run/agent.types.ts';
import { commandLine } from '../command-line.ts';
import { agreedSettings } from '../command-settings.ts';
import { unflatten } from '../config.ts';
import { drive } from '../drive.ts';
import { EXIT, type ExitCode, isStopped, worstOf } from '../exit-codes.ts';
import type { CommonFlags } from '../flags.ts';
import { type InspectorPage, inspectorPage } from '../inspector-page.ts';
import { canAsk, type Io, isLive } from '../io.ts';
import { writeOutcome, writeStopped, writeStored } from '../report.ts';
import { todoLines } from '../step-lines.ts';
import { withAgent } from '../store.ts';
import { say } from '../texts.ts';
import { hint } from './run-command.ts';

/**
 * `agenthub chat`: one conversation, a task per line, each run going on from the last. Ctrl-C
 * during a run cancels it; at the prompt Ctrl-C and Ctrl-D leave. Answers go to stdout. Its exit
 * code is that of the run that ended worst; one cancelled at the terminal does not count.
 */
export async function chatCommand(flags: CommonFlags, io: Io): Promise<ExitCode> {
  const settings = await agreedSettings(flags, io);
  const { locale = 'en' } = unflatten(settings);
  return withAgent({ settings, io }, async (agent, store) => {
    hint(settings, io, locale);
    io.stderr.write(`${say(locale, 'chat')}\n`);
    const page =
      store === null ? null : inspectorPage({ store, restore: agent.restore }, io, locale);
    const exitCode = await converse(agent, io, { flags, locale, page });
    await page?.close();
    return exitCode;
  });
}

/** What a command begins with; `/home/me/a.png …` is a path in a task. */
const COMMAND = /^\/[\p{L}\p{N}_-]*(?=\s|$)/u;

interface Conversation {
  readonly flags: CommonFlags;
  readonly locale: Locale;
  /** Where its runs can be looked at; null where they are not stored. */
  readonly page: InspectorPage | null;
}

async function converse(
  agent: Agent,
  io: Io,
  { flags, locale, page }: Conversation,
): Promise<ExitCode> {
  let history: readonly Message[] = [];
  let todos: readonly TodoItem[] = [];
  let exitCode: ExitCode = EXIT.done;
  const style = { locale, times: true, width: isLive(io) ? (io.stderr.columns || 80) - 1 : null };
  for await (const line of linesOf(io)) {
    const task = line.trim();
    const command = COMMAND.exec(task)?.[0];
    if (command === '/exit') break;
    if (command === '/todos') {
      const lines = todoLines(todos, style);
      io.stderr.write(`${lines.length > 0 ? lines.join('\n') : say(locale, 'noTodos')}\n`);
    } else if (command !== undefined) {
      const unknown = command === '/help' ? '' : say(locale, 'noChatCommand', { word: command });
      const lines = [unknown, say(locale, 'chatHelp')].filter(Boolean);
      io.stderr.write(`${printable(lines.join('\n'))}\n`);
    } else if (task !== '') {
      const run = agent.start(task, { history });
      const driven = await drive(run, io, {
        ...{ locale, grants: [], quiet: false, times: true },
        asks: canAsk(io) ? 'terminal' : 'deny',
        ...(page !== null && { openPage: () => page.open(run.id) }),
      });
      if (driven.end === 'stopped') {
        const resume = page === null ? null : commandLine(['resume', run.id], flags);
        writeStopped(driven, io, { locale, run: run.id, resume });
      }
      if (driven.end !== 'rest') return driven.exitCode;
      const { outcome } = driven;
      writeOutcome(outcome, io, locale);
      if (page !== null) writeStored(outcome, io, { flags, locale });
      if (isStopped(driven.exitCode)) return driven.exitCode;
      // Whoever cancels at the terminal goes on talking: that is no bad end.
      const isOwnWish = canAsk(io) && driven.exitCode === EXIT.interrupted;
      if (!isOwnWish) exitCode = worstOf(exitCode, driven.exitCode);
      history = outcome.messages;
      todos = outcome.todos;
    }
  }
  return exitCode;
}

/**
 * Lines as they are typed or piped. On a terminal the reader is closed while a run goes on, so that
 * a permission prompt has the keyboard to itself.
 */
async function* linesOf(io: Io): AsyncGenerator<string> {
  const { stdin, stderr } = io;
  if (stdin.isTTY !== true) {
    yield* createInterface({ input: stdin });
    return;
  }
  let history: string[] = [];
  while (true) {
    const line = await new Promise<string | null>((resolve) => {
      const lines = createInterface({
        input: stdin,
        output: stderr,
        prompt: '> ',
        history: [...history],
        terminal: isLive(io),
      });
      lines.on('history', (entries) => {
        history = entries;
      });
      lines.once('line', (text) => {
        resolve(text);
        lines.close();
      });
      lines.once('close', () => resolve(null));
      lines.prompt();
    });
    if (line === null) {
      stderr.write('\n');
      return;
    }
    yield line;
  }
}
