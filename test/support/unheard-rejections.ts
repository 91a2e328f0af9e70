import { setImmediate as nextTurn } from 'node:timers/promises';

/** What is rejected while `work` goes on and nobody hears of: in a process of a host's, its end. */
export async function unheardRejections(work: () => Promise<void>): Promise<readonly unknown[]> {
  const unheard: unknown[] = [];
  const listen = (reason: unknown) => unheard.push(reason);
  process.on('unhandledRejection', listen);
  try {
    await work();
    await nextTurn();
  } finally {
    process.off('unhandledRejection', listen);
  }
  return unheard;
}
