import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work after which everything else has its turn. */
const STRETCH = 12;

/**
 * For work that may be long: call what it gives between two pieces, and await the promise if there
 * is one. Timers, requests and other runs have their turn then.
 */
export function breather(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < STRETCH) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}
