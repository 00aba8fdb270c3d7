/** A timeout that restarts whenever progress is made. */
export class ProgressTimeout {
  readonly #timeoutMs: number;
  #progress: number | undefined;
  #since = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Whether no progress was made for the whole timeout. Call it periodically: the timeout starts at the call that sees a new `progress`.
   *
   * @param progress a number that changes with every progress; undefined while the timeout must not run.
   * @param now the current `performance.now()`.
   * @param factor multiplies the timeout.
   */
  hasExpired(progress: number | undefined, now: number, factor = 1): boolean {
    if (progress === undefined || progress !== this.#progress) {
      this.#progress = progress;
      this.#since = now;
      return false;
    }
    return now - this.#since >= this.#timeoutMs * factor;
  }
}
