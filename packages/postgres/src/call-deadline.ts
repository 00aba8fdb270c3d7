/** The caller disconnected, or its deadline passed, before a statement was sent for it. */
export class CallAbandonedError extends Error {
  override readonly name = "CallAbandonedError";

  constructor() {
    super("the caller disconnected or its deadline passed");
  }
}

/** The deadline of a call, until its work is done. */
export class CallDeadline {
  readonly #signal: AbortSignal;
  #isDone = false;

  /** @param signal aborts when the caller gives up. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the caller has given up. False once the work is done: what the work started may continue. */
  get isAbandoned(): boolean {
    return this.#signal.aborted && !this.#isDone;
  }

  /** Calls back if the caller gives up before the work is done. */
  onAbandoned(callback: () => void): void {
    this.#signal.addEventListener("abort", () => this.#isDone || callback(), { once: true });
  }

  /** Notes that the work is done. */
  end(): void {
    this.#isDone = true;
  }
}
