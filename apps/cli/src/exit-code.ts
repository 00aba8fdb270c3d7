/** How the process ends: a script reads what happened from it. */
export const ExitCode = {
  /** Everything that was asked for is done. */
  done: 0,
  /** The service answered and refused, at least in part. */
  refused: 1,
  /** The command line, or the file it names, is wrong. */
  wrongUsage: 2,
  /** No answer came from the service. */
  unreachable: 3,
  /** SIGINT: 128 and the signal's number. */
  interrupted: 130,
  /** SIGTERM: 128 and the signal's number. */
  terminated: 143,
} as const;

/** One of the values of {@link ExitCode}. */
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
