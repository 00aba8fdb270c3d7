import { setMaxListeners } from "node:events";
import { ExitCode } from "./exit-code.js";

/** The two ways in which a running command is asked to end early. */
export interface Interrupt {
  /** Aborts at the first signal: begin nothing new, finish what is under way. */
  readonly stop: AbortSignal;
  /** Aborts at the second signal, or {@link GRACE_MS} after the first: drop what is under way. */
  readonly drop: AbortSignal;
}

/** The reason of an interrupt's signals. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";

  constructor(readonly exitCode: ExitCode) {
    super("interrupted");
  }
}

/** How long what is under way may take after the first signal, in milliseconds. */
export const GRACE_MS = 2000;

const exitCodes = { SIGINT: ExitCode.interrupted, SIGTERM: ExitCode.terminated } as const;

/** Turns SIGINT and SIGTERM of this process into an {@link Interrupt}. */
export function listenForInterrupt(): Interrupt {
  const stop = new AbortController();
  const drop = new AbortController();
  // Each request that is under way listens, and an import has as many as the user wants.
  setMaxListeners(0, stop.signal, drop.signal);
  const onSignal = (signal: keyof typeof exitCodes): void => {
    const reason = new InterruptedError(exitCodes[signal]);
    if (stop.signal.aborted) drop.abort(reason);
    stop.abort(reason);
    setTimeout(() => drop.abort(reason), GRACE_MS).unref();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return { stop: stop.signal, drop: drop.signal };
}
