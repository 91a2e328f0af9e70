/**
 * Calls a host's callback, which is not part of a run: what it throws, at once or later by a
 * promise it returns, is dropped.
 */
export function harmlessly(callback: () => unknown): void {
  try {
    // Whatever kind of promise it is: the callback is the host's.
    Promise.resolve(callback()).catch(() => {});
  } catch {
    // Nothing to do: the run goes on as if nobody had looked.
  }
}
