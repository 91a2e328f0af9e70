import { createInterface } from 'node:readline';
import type { Question } from '../../machines/agent/agent.view.ts';
import { toErrorData } from '../../machines/vocabulary/errors.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import { exactJson, exactLine, printable } from '../../machines/vocabulary/printable.ts';
import { sayError } from './error-texts.ts';
import { colorsOf, type Io, isLive } from './io.ts';
import { type Key, readKey } from './keys.ts';
import { duration } from './step-lines.ts';
import { say, sayApprovals } from './texts.ts';
import { wrapToWidth } from './width.ts';

export type PromptAnswer =
  | { readonly answer: 'approve' }
  | { readonly answer: 'deny'; readonly reason: string }
  | { readonly answer: 'interrupt' };

export interface PromptOptions {
  readonly locale: Locale;
  /** Questions that wait, this one included. */
  readonly waiting: number;
  /** Aborts when the question is settled elsewhere. */
  readonly signal: AbortSignal;
  /** Opens the page where the question can be looked at and answered too. */
  readonly openPage?: () => Promise<void>;
}

/**
 * Asks at the terminal. `y` approves once; `n` denies and asks for a reason; Esc denies; `o` opens
 * the page, if there is one, and goes on asking; Enter and every other key do nothing. Rejects when
 * `signal` aborts.
 */
export async function askPermission(
  io: Io,
  question: Question,
  { locale, waiting, signal, openPage }: PromptOptions,
): Promise<PromptAnswer> {
  const { bold } = colorsOf(io);
  const keys = say(locale, openPage === undefined ? 'keys' : 'keysAndPage');
  const showKeys = () => io.stderr.write(`${bold(keys)} `);
  const showAll = () => {
    for (const line of questionLines(question, io, { locale, waiting }))
      io.stderr.write(`${line}\n`);
    showKeys();
  };
  const next = async (show: () => void): Promise<Key> => {
    const ignored: readonly Key[] = openPage === undefined ? ['open'] : [];
    const key = await readKey(io, { show, signal, ignored }).finally(() => io.stderr.write('\n'));
    if (key !== 'open') return key;
    await openPage?.().catch((thrown: unknown) => {
      io.stderr.write(`${printable(sayError(toErrorData(thrown, 'page_failed'), locale))}\n`);
    });
    return next(showKeys);
  };
  const key = await next(showAll);
  if (key === 'yes') return { answer: 'approve' };
  if (key === 'escape') return { answer: 'deny', reason: '' };
  if (key === 'interrupt') return { answer: 'interrupt' };
  const reason = await readReason(io, say(locale, 'denyReason'), signal);
  return reason === null ? { answer: 'interrupt' } : { answer: 'deny', reason: reason.trim() };
}

/** A question in full: the tool, its whole input, every reason, what an approval would allow. */
export function questionLines(
  { tool, input, reasons, missing, earlierApprovalVoid, deadline }: Question,
  io: Io,
  { locale, waiting }: Pick<PromptOptions, 'locale' | 'waiting'>,
): string[] {
  const { bold, yellow, dim } = colorsOf(io);
  const columns = isLive(io) ? Math.max(20, io.stderr.columns || 80) - 1 : Number.POSITIVE_INFINITY;
  const fit = (text: string, paint: (line: string) => string = String) =>
    wrapToWidth(text, columns, '    ').map((line) => paint(line));
  const time = deadline === null ? '' : duration(Math.max(0, deadline - io.clock.now()));
  const notes = [
    waiting > 1 ? say(locale, 'left', { count: waiting }) : '',
    time === '' ? '' : say(locale, 'minutes', { time }),
  ];
  return [
    '',
    ...fit(say(locale, 'asks', { tool: exactLine(tool) }), (line) => bold(yellow(line))),
    ...fit(notes.filter(Boolean).join(' · '), dim),
    // Lines are left to the terminal to wrap, which drops nothing.
    ...exactJson(input).map((line) => `  ${line}`),
    say(locale, 'why'),
    ...reasons.flatMap((reason) => fit(`  - ${exactLine(reason[locale])}`, yellow)),
    ...fit(say(locale, 'approving', { approvals: sayApprovals(locale, missing) })),
    ...(earlierApprovalVoid ? fit(say(locale, 'void'), yellow) : []),
  ];
}

/** A line the person writes; null when they pressed Ctrl-C. */
function readReason(io: Io, prompt: string, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: io.stdin, output: io.stderr, terminal: isLive(io) });
    const onAbort = () => end(() => reject(signal.reason));
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort);
      settle();
      lines.close();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    lines.once('line', (line) => end(() => resolve(line)));
    lines.once('SIGINT', () => end(() => resolve(null)));
    lines.once('close', () => end(() => resolve('')));
    // After Ctrl-Z and fg, node reads on only when it is asked to; what was written stays.
    lines.on('SIGCONT', () => lines.prompt(true));
    lines.setPrompt(prompt);
    lines.prompt();
  });
}
