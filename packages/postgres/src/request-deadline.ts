/** Thrown for a statement that was not sent, because the client disconnected or the request's deadline passed first. */
export class RequestAbandonedError extends Error {
  override readonly name = "RequestAbandonedError";

  constructor() {
    super("the statement was not sent, because the client disconnected or the deadline of the request passed");
  }
}

/** The deadline of a request. It applies only until the work of the request is done. */
export class RequestDeadline {
  readonly #signal: AbortSignal;
  #callbacks: Set<(reason: unknown) => void> | undefined;
  #isDone = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the client gave up before the work was done. False once the work is done, so that statements that the work started can continue. */
  get isAbandoned(): boolean {
    return this.#signal.aborted && !this.#isDone;
  }

  /** Calls `callback` with the signal's reason if the client gives up before the work is done. Returns a function that removes the callback. */
  onAbandoned(callback: (reason: unknown) => void): () => void {
    this.#callbacks ??= this.#listen();
    const callbacks = this.#callbacks;
    callbacks.add(callback);
    return () => callbacks.delete(callback);
  }

  end(): void {
    this.#isDone = true;
  }

  #listen(): Set<(reason: unknown) => void> {
    const callbacks = new Set<(reason: unknown) => void>();
    const abandon = () => {
      if (!this.#isDone) for (const callback of callbacks) callback(this.#signal.reason);
    };
    this.#signal.addEventListener("abort", abandon, { once: true });
    return callbacks;
  }
}
