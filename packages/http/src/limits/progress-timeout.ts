/** Notices that something is waited for and makes no progress. */
export class ProgressTimeout {
  readonly #timeoutMs: number;
  #progress: number | undefined;
  #since = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Whether it has made none for as long as it may. To be asked over and over, as time counts from one asking to another.
   *
   * @param progress any number that is another one when there was some; undefined while nothing is waited for.
   * @param now by the clock of `performance`.
   * @param share of the time that it may take.
   */
  isOver(progress: number | undefined, now: number, share = 1): boolean {
    if (progress === undefined || progress !== this.#progress) {
      this.#progress = progress;
      this.#since = now;
      return false;
    }
    return now - this.#since >= this.#timeoutMs * share;
  }
}
