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
  /** SIGHUP: the terminal has gone. */
  hungUp: 129,
  /** SIGTERM. */
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Exit codes by the signals that tell a process to leave. */
export const STOP_CODES = { SIGHUP: EXIT.hungUp, SIGTERM: EXIT.terminated } as const;

/** A signal that tells the process to leave: what it does is left as it stands. */
export type StopSignal = keyof typeof STOP_CODES;

/** Whether the process was told to leave: then nobody waits for anything more. */
export function isStopped(exitCode: ExitCode): boolean {
  return Object.values<ExitCode>(STOP_CODES).includes(exitCode);
}

/** From the best to the worst end of a run. */
const BY_SEVERITY: readonly ExitCode[] = [
  EXIT.done,
  EXIT.undecided,
  EXIT.suspended,
  EXIT.interrupted,
  EXIT.failed,
  EXIT.auth,
];

/** The exit code of several runs: that of the one that ended worst. */
export function worstOf(one: ExitCode, other: ExitCode): ExitCode {
  return BY_SEVERITY.indexOf(other) > BY_SEVERITY.indexOf(one) ? other : one;
}
