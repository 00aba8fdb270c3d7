/** The caller disconnected or its deadline passed before its statement was sent. */
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

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the caller gave up. False once the work is done, so that statements it started can continue. */
  get isAbandoned(): boolean {
    return this.#signal.aborted && !this.#isDone;
  }

  /** Calls `callback`, with the reason of the signal, if the caller gives up before the work is done. */
  onAbandoned(callback: (reason: unknown) => void): void {
    this.#signal.addEventListener("abort", () => this.#isDone || callback(this.#signal.reason), { once: true });
  }

  end(): void {
    this.#isDone = true;
  }
}
