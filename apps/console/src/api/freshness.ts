/** Time between an event and the load after it, which covers further events. */
const DEBOUNCE_MS = 250;

/** Minimum time from the end of a load to the next one. */
const PAUSE_MS = 2000;

/** The same after a failed load. */
const FAILURE_PAUSE_MS = 5000;

/** The same as a multiple of the load's duration, so that pages that are slow to load burden the server little. */
const PAUSE_FACTOR = 10;

/** Decides when a value that events have changed is loaded again: while the page is visible, and one load at a time. */
export class Freshness {
  readonly #reload: () => void;
  #isOutdated = false;
  #isLoading = false;
  #beganAt = 0;
  #notBefore = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(reload: () => void) {
    this.#reload = reload;
  }

  /** The value may be outdated. */
  touch(): void {
    this.#isOutdated = true;
    this.schedule();
  }

  /** A load begins, which has what all events before it changed. */
  begin(): void {
    this.stop();
    this.#isOutdated = false;
    this.#isLoading = true;
    this.#beganAt = performance.now();
  }

  /** The load has ended. */
  end(hasFailed: boolean): void {
    const now = performance.now();
    const pause = hasFailed ? FAILURE_PAUSE_MS : Math.max(PAUSE_MS, PAUSE_FACTOR * (now - this.#beganAt));
    this.#isLoading = false;
    this.#notBefore = now + pause;
    this.schedule();
  }

  /** Plans the next load, if there is a reason for one. */
  schedule(): void {
    if (!this.#isOutdated || this.#isLoading || this.#timer !== undefined || isHidden()) return;
    const delay = Math.max(DEBOUNCE_MS, this.#notBefore - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!isHidden()) this.#reload();
    }, delay);
  }

  /** Cancels the planned load. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function isHidden(): boolean {
  return document.visibilityState === "hidden";
}
