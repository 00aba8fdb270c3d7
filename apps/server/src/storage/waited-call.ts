import { AsyncLocalStorage } from "node:async_hooks";

/** Nobody waits any more for what a statement was to give: its caller's deadline has passed, or the caller has gone. */
export class CallAbandonedError extends Error {
  override readonly name = "CallAbandonedError";

  constructor() {
    super("the caller does not wait any more");
  }
}

/** A call whose caller waits for its answer no longer than until a deadline. */
export class WaitedCall {
  readonly #signal: AbortSignal;
  #isDone = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the caller has given up. Never once the work is done: what goes on after it is nobody's to give up. */
  get isAbandoned(): boolean {
    return this.#signal.aborted && !this.#isDone;
  }

  /** Calls back if the caller gives up before the work is done. */
  onAbandoned(callback: () => void): void {
    this.#signal.addEventListener("abort", () => this.#isDone || callback(), { once: true });
  }

  end(): void {
    this.#isDone = true;
  }
}

const calls = new AsyncLocalStorage<WaitedCall | undefined>();

/**
 * Does the work of a call that has a deadline, so that its statements know of it. One that waits for its turn is not sent when
 * the caller has given up, one that has a connection to itself is cancelled, and what shares a connection with others is left.
 *
 * @param signal aborts when the caller gives up.
 */
export async function runWaitedCall<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const call = new WaitedCall(signal);
  try {
    return await calls.run(call, work);
  } finally {
    call.end();
  }
}

/** The call for which something is done; undefined if it has no deadline, or there is none. */
export function currentCall(): WaitedCall | undefined {
  return calls.getStore();
}

/** Does work that others than the call wait for too, or nobody: it goes on whatever becomes of the call. */
export function runForAll<T>(work: () => T): T {
  return calls.run(undefined, work);
}
