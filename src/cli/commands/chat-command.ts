import { createInterface } from 'node:readline';
import type { Message } from '../../../machines/vocabulary/messages.ts';
import { buildAgent } from '../build-agent.ts';
import { loadSettings, unflatten } from '../config.ts';
import { drive } from '../drive.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, settingsFlags } from '../flags.ts';
import { colorsOf, type Io } from '../io.ts';
import { todoLines } from '../step-lines.ts';
import { say } from '../texts.ts';
import { writeOutcome } from './run-command.ts';

/** `agenthub chat`: one conversation, a task per line, each run going on from the last. */
export async function chatCommand(flags: CommonFlags, io: Io): Promise<ExitCode> {
  const settings = loadSettings({ ...io, flags: settingsFlags(flags), file: flags.config });
  const { locale = 'en', model } = unflatten(settings);
  const agent = buildAgent(settings, io);
  const colors = colorsOf(io);
  if (model?.provider === 'offline') io.stderr.write(`${colors.dim(say(locale, 'hint'))}\n`);
  io.stderr.write(`${say(locale, 'chat')}\n`);

  let history: readonly Message[] = [];
  let todos: Parameters<typeof todoLines>[0] = [];
  const style = { locale, times: true, width: 240 };
  for await (const line of linesOf(io)) {
    const task = line.trim();
    if (task === '/exit') break;
    if (task === '/todos') {
      const lines = todoLines(todos, style);
      io.stderr.write(`${lines.length > 0 ? lines.join('\n') : say(locale, 'noTodos')}\n`);
    } else if (task !== '') {
      const run = agent.start(task, { history });
      const options = { locale, grants: [], prompts: true, quiet: false, times: true };
      const { outcome } = await drive(run, io, options);
      writeOutcome(outcome, io, locale);
      history = outcome.messages;
      todos = outcome.todos;
    }
  }
  return EXIT.done;
}

/**
 * Lines as they are typed or piped. The reader is closed while a run goes on, so that a permission
 * prompt has the keyboard to itself; what was piped ahead is kept.
 */
async function* linesOf({ stdin, stderr }: Io): AsyncGenerator<string> {
  if (stdin.isTTY !== true) {
    yield* createInterface({ input: stdin });
    return;
  }
  while (true) {
    const line = await new Promise<string | null>((resolve) => {
      const lines = createInterface({ input: stdin, output: stderr, prompt: '> ' });
      lines.once('line', (text) => {
        resolve(text);
        lines.close();
      });
      lines.once('close', () => resolve(null));
      lines.prompt();
    });
    if (line === null) return;
    yield line;
  }
}
