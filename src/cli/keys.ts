import { emitKeypressEvents } from 'node:readline';
import type { Io } from './io.ts';

/** What a key means to a question. */
export type Key = 'yes' | 'no' | 'open' | 'escape' | 'interrupt';

/** Milliseconds within which keys belong together: a paste, or what was typed before. */
const TOGETHER = 40;

interface Keypress {
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

export interface ReadKeyOptions {
  /** Writes the question, once what was typed before it is dropped. */
  readonly show: () => void;
  readonly signal: AbortSignal;
  /** Keys that mean nothing to this question. */
  readonly ignored?: readonly Key[];
}

/**
 * The next key that means something. What was typed before the question is dropped (`show` writes
 * it once that is done), and keys that come in one heap, as from a paste, do not count: nobody
 * approves by accident. Ctrl-C counts always. Rejects when `signal` aborts.
 */
export async function readKey(
  io: Io,
  { show, signal, ignored = [] }: ReadKeyOptions,
): Promise<Key> {
  const { stdin, clock } = io;
  let heap: (Key | null)[] = [];
  let wake = (): void => {};
  const onKey = (text: string | undefined, key: Keypress | undefined) => {
    const meaning = meaningOf(text, key);
    heap.push(meaning !== null && ignored.includes(meaning) ? null : meaning);
    wake();
  };
  const wasRaw = stdin.isRaw === true;
  emitKeypressEvents(stdin);
  stdin.on('keypress', onKey);
  stdin.setRawMode?.(true);
  stdin.resume();
  const onAbort = () => wake();
  const onEnd = () => {
    heap.push('interrupt');
    wake();
  };
  signal.addEventListener('abort', onAbort);
  stdin.once('end', onEnd);
  try {
    await clock.pass(TOGETHER);
    if (!heap.includes('interrupt')) {
      heap = [];
      show();
    }
    while (true) {
      signal.throwIfAborted();
      if (heap.length > 0) await clock.pass(TOGETHER);
      const [first, ...others] = heap;
      if (heap.includes('interrupt')) return 'interrupt';
      if (first && others.length === 0) return first;
      heap = [];
      if (!signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    stdin.off('keypress', onKey);
    stdin.off('end', onEnd);
    stdin.setRawMode?.(wasRaw);
    stdin.pause();
  }
}

function meaningOf(text: string | undefined, key: Keypress | undefined): Key | null {
  if (key?.ctrl === true) return key.name === 'c' ? 'interrupt' : null;
  if (key?.name === 'escape') return 'escape';
  if (key?.meta === true) return null;
  // An input method may send the full-width letter.
  const letter = (text ?? '').normalize('NFKC').toLowerCase();
  return LETTERS[letter] ?? null;
}

const LETTERS: Readonly<Record<string, Key>> = { y: 'yes', n: 'no', o: 'open' };
