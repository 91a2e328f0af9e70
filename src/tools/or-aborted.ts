/**
 * The work's result, or the signal's reason, whichever comes first; the work goes on. Work that fails
 * later, or had failed before, is heard out from the start: a rejection that nobody waits for would
 * end the process.
 */
export function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const leave = () => reject(signal.reason);
    const done = () => signal.removeEventListener('abort', leave);
    work.then(resolve, reject).then(done, done);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
