const PARENT_CHECK_MS = 250;

/**
 * Calls `stop` at the first SIGTERM or SIGINT, and resolves when `stop` has finished. A second signal ends the process
 * at once.
 *
 * npm runs commands in a shell that does not forward signals: a SIGTERM to npm ends only the shell. In a process
 * started by npm, the exit of the parent process therefore counts as the first signal.
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
