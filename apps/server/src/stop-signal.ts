import { once } from "node:events";

const PARENT_CHECK_MS = 250;

/** The exit codes of processes that a signal ends early. */
const EXIT_CODES = { SIGTERM: 143, SIGINT: 130 } as const;

/**
 * Returns a signal that aborts at the first SIGTERM or SIGINT. Its reason is the exit code of a command that does not finish. A second
 * signal ends the process at once.
 *
 * npm runs commands in a shell that does not forward signals: a SIGTERM to npm ends only the shell. In a process
 * started by npm, the exit of the parent process therefore counts as the first signal.
 */
export function createStopSignal(): AbortSignal {
  const stop = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    const exitCode = EXIT_CODES[name as keyof typeof EXIT_CODES];
    if (stop.signal.aborted) process.exit(exitCode);
    stop.abort(exitCode);
  };
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  if (process.env.npm_command !== undefined) onParentEnd(() => stop.abort(EXIT_CODES.SIGTERM));
  return stop.signal;
}

/** Resolves when a signal aborts. */
export async function whenAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

function onParentEnd(listener: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    listener();
  }, PARENT_CHECK_MS).unref();
}
