/** Minimum time from an event to the reload that it causes. Further events within this time do not cause another reload. */
const DEBOUNCE_MS = 250;

/** Minimum time from the end of a load to the start of the next load. */
const PAUSE_MS = 2000;

/** Minimum time from the end of a failed load to the start of the next load. */
const FAILURE_PAUSE_MS = 5000;

/**
 * Minimum time from the end of a load to the start of the next load, as a multiple of the finished load's duration. Slow requests therefore put
 * little load on the server.
 */
const PAUSE_FACTOR = 10;

/** Schedules reloads of a value that events may have changed. Reloads only while the page is visible, and runs one load at a time. */
export class ReloadScheduler {
  readonly #reload: () => void;
  #isOutdated = false;
  /** Whether the value was outdated when the last load began. */
  #wasOutdated = false;
  #isLoading = false;
  #beganAt = 0;
  #notBefore = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(reload: () => void) {
    this.#reload = reload;
  }

  markOutdated(): void {
    this.#isOutdated = true;
    this.schedule();
  }

  /**
   * Must be called when a load begins. The loaded value contains the changes from all earlier events.
   *
   * @param isNewValue whether the load is the first one of another value, which is not outdated.
   */
  begin(isNewValue: boolean): void {
    this.stop();
    this.#wasOutdated = !isNewValue && (this.#isOutdated || (this.#isLoading && this.#wasOutdated));
    this.#isOutdated = false;
    this.#isLoading = true;
    this.#beganAt = performance.now();
  }

  /** Call this at the end of each load, unless the load was aborted. If the load has failed, an outdated value stays outdated. */
  end(hasFailed: boolean): void {
    if (hasFailed && this.#wasOutdated) this.#isOutdated = true;
    const now = performance.now();
    const pause = hasFailed ? FAILURE_PAUSE_MS : Math.max(PAUSE_MS, PAUSE_FACTOR * (now - this.#beganAt));
    this.#isLoading = false;
    this.#notBefore = now + pause;
    this.schedule();
  }

  /** Starts the timer for a reload if the value is outdated, the page is visible, and no load is running or scheduled. */
  schedule(): void {
    if (!this.#isOutdated || this.#isLoading || this.#timer !== undefined || isHidden()) return;
    const delay = Math.max(DEBOUNCE_MS, this.#notBefore - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!isHidden()) this.#reload();
    }, delay);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function isHidden(): boolean {
  return document.visibilityState === "hidden";
}
