/** What the command line's exit code says. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A call waits, or was denied because nobody could be asked. */
  undecided: 3,
  /** No key, or one that the provider refused. */
  auth: 4,
  suspended: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
