/** Resolves when what the first SIGTERM or SIGINT stops has stopped; a second one ends the process at once. */
export function stopOnSignal(stop: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopping = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (stopping) process.exit(signal === "SIGINT" ? 130 : 143);
      stopping = true;
      stop().then(resolve, reject);
    };
    process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  });
}
