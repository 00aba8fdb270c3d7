/** Outages shorter than this, such as a restart, are waited out by reads and by statements that were not sent yet. */
const SHORT_OUTAGE_MS = 2000;

/** When a server was last known to be reachable, shared by all that connect to it. */
export class Reachability {
  readonly #shortOutageMs: number;
  #reachedAt = Number.NEGATIVE_INFINITY;

  /** @param shortOutageMs 0 to wait out no outage. */
  constructor(shortOutageMs = SHORT_OUTAGE_MS) {
    this.#shortOutageMs = shortOutageMs;
  }

  /** Notes that a connection is open, or was until now. */
  noteReached(): void {
    this.#reachedAt = performance.now();
  }

  /** Whether the server was reachable a moment ago, so that waiting for a new connection may pay. */
  get isShortOutage(): boolean {
    return performance.now() - this.#reachedAt < this.#shortOutageMs;
  }
}
