/** Reads and unsent statements wait for the end of an outage, such as a restart, that is shorter than this. */
const SHORT_OUTAGE_MS = 2000;

/** Records when a server was last reachable. All pools of the server share it. */
export class OutageClock {
  #reachedAt = Number.NEGATIVE_INFINITY;

  /** Records that a connection is open, or was open until now. */
  noteReached(): void {
    this.#reachedAt = performance.now();
  }

  /** Whether the server was reachable so recently that waiting for a new connection is worthwhile. */
  get isShortOutage(): boolean {
    return performance.now() - this.#reachedAt < SHORT_OUTAGE_MS;
  }
}
