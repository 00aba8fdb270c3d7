/** Reads and unsent statements wait for the end of outages shorter than this, such as a restart. */
const SHORT_OUTAGE_MS = 2000;

/** The time at which a server was last reachable, shared by all its pools. */
export class OutageClock {
  #reachedAt = Number.NEGATIVE_INFINITY;

  /** Records that a connection is open, or was open until now. */
  noteReached(): void {
    this.#reachedAt = performance.now();
  }

  /** Whether the server was reachable a moment ago, so that waiting for a new connection is worthwhile. */
  get isShortOutage(): boolean {
    return performance.now() - this.#reachedAt < SHORT_OUTAGE_MS;
  }
}
