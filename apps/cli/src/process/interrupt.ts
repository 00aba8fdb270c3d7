import { setMaxListeners } from "node:events";
import { ExitCode } from "./exit-code.js";

/** Cancellation of a running command, in two stages. */
export interface InterruptSignals {
  /** Aborts at the first signal: start nothing new, and finish requests in flight. */
  readonly stop: AbortSignal;
  /** Aborts at the second signal, or {@link GRACE_MS} after the first: cancel requests in flight. */
  readonly drop: AbortSignal;
}

/** The abort reason of an {@link InterruptSignals}. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";

  constructor(readonly exitCode: ExitCode) {
    super("interrupted");
  }
}

/** Time to finish requests in flight after the first signal. */
const GRACE_MS = 2000;

const exitCodes = { SIGINT: ExitCode.interrupted, SIGTERM: ExitCode.terminated } as const;

let isSigintIgnored = false;

/**
 * Ignores SIGINT until the promise settles, and returns its value. Ctrl-C sends SIGINT to all programs on the terminal, so a pager that handles
 * Ctrl-C itself would otherwise lose its parent.
 */
export async function ignoreSigintUntil<Value>(settled: Promise<Value>): Promise<Value> {
  isSigintIgnored = true;
  try {
    return await settled;
  } finally {
    isSigintIgnored = false;
  }
}

/** Converts SIGINT and SIGTERM, sent to this process, to an {@link InterruptSignals}. */
export function listenForInterrupt(): InterruptSignals {
  const stop = new AbortController();
  const drop = new AbortController();
  // Each request in flight adds a listener, and the concurrency of an import has no limit.
  setMaxListeners(0, stop.signal, drop.signal);
  const onSignal = (signal: keyof typeof exitCodes): void => {
    if (signal === "SIGINT" && isSigintIgnored) return;
    const reason = new InterruptedError(exitCodes[signal]);
    if (stop.signal.aborted) drop.abort(reason);
    stop.abort(reason);
    setTimeout(() => drop.abort(reason), GRACE_MS).unref();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return { stop: stop.signal, drop: drop.signal };
}
