import type { Io } from './io.ts';

/** What became of the process's outputs. */
export interface Outputs {
  /** Waits until everything is written; says what went wrong with stdout, or null. */
  readonly flushed: () => Promise<Error | null>;
}

/**
 * Looks after the outputs. A reader that has gone (EPIPE) is no failure: what is written after that
 * is dropped. Anything else, such as a full disk, is one, if it is the result that is lost.
 */
export function watchOutputs({ stdout, stderr }: Io): Outputs {
  let lost: Error | null = null;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') lost ??= error;
  });
  stderr.on('error', () => {});
  const drain = (stream: NodeJS.WritableStream) =>
    new Promise<void>((resolve) => stream.write('', () => setImmediate(resolve)));
  return {
    flushed: async () => {
      await Promise.all([drain(stdout), drain(stderr)]);
      return lost;
    },
  };
}
