/** How long reads and unsent statements wait for the end of an outage, such as a restart of the server. */
const SHORT_OUTAGE_MS = 2000;

/** Records when a server was last reachable. All connection pools of the server share one clock. */
export class OutageClock {
  #reachedAt = Number.NEGATIVE_INFINITY;

  /** Records that the server is reachable now, because a connection has just opened or closed. */
  noteReached(): void {
    this.#reachedAt = performance.now();
  }

  /** Whether the server was reachable within the last two seconds, so that a statement should wait for a new connection. */
  get isShortOutage(): boolean {
    return performance.now() - this.#reachedAt < SHORT_OUTAGE_MS;
  }
}
