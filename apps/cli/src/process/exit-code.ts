/** The exit codes of the process. */
export const ExitCode = {
  /** Success. */
  done: 0,
  /** The service rejected the request, or part of it; or the output cannot be written. */
  refused: 1,
  /** The command line is invalid, or a file that it names. */
  wrongUsage: 2,
  /** The service did not respond. */
  unreachable: 3,
  /** SIGINT: 128 plus the signal number. */
  interrupted: 130,
  /** SIGTERM: 128 plus the signal number. */
  terminated: 143,
} as const;

/** One of the values of {@link ExitCode}. */
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
