export const ExitCode = {
  done: 0,
  /** The service rejected the request or a part of it, or the output cannot be written. */
  refused: 1,
  /** The command line, or a file that it names, is invalid. */
  wrongUsage: 2,
  /** The service did not respond. */
  unreachable: 3,
  /** SIGINT: 128 plus the signal number. */
  interrupted: 130,
  /** SIGTERM: 128 plus the signal number. */
  terminated: 143,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
