/** Minimum time from an event to the reload that it causes. Further events in this time cause no other reload. */
const DEBOUNCE_MS = 250;

/** Minimum time from the end of a load to the next one. */
const PAUSE_MS = 2000;

/** Minimum time from the end of a failed load to the next one. */
const FAILURE_PAUSE_MS = 5000;

/** Minimum time between loads as a multiple of the last load's duration, so that slow pages put little load on the server. */
const PAUSE_FACTOR = 10;

/** Decides when to reload a value that events have changed: only while the page is visible, and one load at a time. */
export class ReloadScheduler {
  readonly #reload: () => void;
  #isOutdated = false;
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

  /** Call it when a load begins. The load includes the changes from all earlier events. */
  begin(): void {
    this.stop();
    this.#isOutdated = false;
    this.#isLoading = true;
    this.#beganAt = performance.now();
  }

  end(hasFailed: boolean): void {
    const now = performance.now();
    const pause = hasFailed ? FAILURE_PAUSE_MS : Math.max(PAUSE_MS, PAUSE_FACTOR * (now - this.#beganAt));
    this.#isLoading = false;
    this.#notBefore = now + pause;
    this.schedule();
  }

  /** Plans a reload if the value is outdated, no load is running or planned, and the page is visible. */
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
