const PARENT_CHECK_MS = 250;

/**
 * Resolves when `stop`, which the first SIGTERM or SIGINT calls, has ended; a second signal ends the process at once.
 *
 * npm runs commands in a shell that passes no signals on: a SIGTERM to npm ends the shell and nothing below it. In a process that npm
 * started, the end of the parent process therefore counts as the first signal.
 */
export function stopOnSignal(stop: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopping = false;
    const begin = () => {
      if (stopping) return;
      stopping = true;
      stop().then(resolve, reject);
    };
    const onSignal = (signal: NodeJS.Signals) => {
      if (stopping) process.exit(signal === "SIGINT" ? 130 : 143);
      begin();
    };
    process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
    if (process.env.npm_command !== undefined) onParentEnd(begin);
  });
}

function onParentEnd(listener: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    listener();
  }, PARENT_CHECK_MS).unref();
}
