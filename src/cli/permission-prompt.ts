import { emitKeypressEvents } from 'node:readline';
import { createInterface } from 'node:readline/promises';
import type { Question } from '../../machines/agent/agent.view.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import { colorsOf, type Io, printable } from './io.ts';
import { say } from './texts.ts';

export type PromptAnswer =
  | { readonly answer: 'approve' }
  | { readonly answer: 'deny'; readonly reason: string }
  | { readonly answer: 'interrupt' };

/** A question in full: tool, whole input, every reason. */
export function questionText({ tool, input, reasons }: Question, locale: Locale): string {
  return printable(
    [
      `${say(locale, 'asks')}: ${tool}`,
      JSON.stringify(input, null, 2).replace(/^/gmu, '  '),
      ...reasons.map((reason) => `  - ${reason[locale]}`),
    ].join('\n'),
  );
}

/**
 * Asks at the terminal. `y` approves once; `n` denies and asks for a reason; Esc denies; Enter and
 * every other key do nothing. Rejects when `signal` aborts: the question is settled elsewhere.
 */
export async function askPermission(
  io: Io,
  question: Question,
  { locale, signal }: { readonly locale: Locale; readonly signal: AbortSignal },
): Promise<PromptAnswer> {
  const colors = colorsOf(io);
  io.stderr.write(`${colors.yellow(questionText(question, locale))}\n`);
  io.stderr.write(`${colors.bold(say(locale, 'keys'))} `);
  const key = await readKey(io, signal);
  io.stderr.write('\n');
  if (key === 'approve' || key === 'interrupt') return { answer: key };
  if (key === 'escape') return { answer: 'deny', reason: '' };
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  try {
    return { answer: 'deny', reason: await lines.question(say(locale, 'denyReason'), { signal }) };
  } finally {
    lines.close();
  }
}

function readKey(
  io: Io,
  signal: AbortSignal,
): Promise<'approve' | 'deny' | 'escape' | 'interrupt'> {
  const { stdin } = io;
  return new Promise((resolve, reject) => {
    emitKeypressEvents(stdin);
    const wasRaw = stdin.isRaw === true;
    stdin.setRawMode?.(true);
    stdin.resume();
    const leave = () => {
      stdin.off('keypress', onKey);
      signal.removeEventListener('abort', onAbort);
      stdin.setRawMode?.(wasRaw);
      stdin.pause();
    };
    const onAbort = () => {
      leave();
      reject(signal.reason);
    };
    const onKey = (
      text: string | undefined,
      key: { name?: string; ctrl?: boolean } | undefined,
    ) => {
      const found = keyOf(text, key);
      if (found === null) return;
      leave();
      resolve(found);
    };
    stdin.on('keypress', onKey);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function keyOf(text: string | undefined, key: { name?: string; ctrl?: boolean } | undefined) {
  if (key?.ctrl === true && key.name === 'c') return 'interrupt';
  if (key?.name === 'escape') return 'escape';
  if (text === 'y' || text === 'Y') return 'approve';
  if (text === 'n' || text === 'N') return 'deny';
  return null;
}
