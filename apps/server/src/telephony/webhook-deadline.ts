import { once } from "node:events";
import { DatabaseUnavailableError, runWithDeadline } from "@calltrack/postgres";

/**
 * Time limits since the arrival of a request, in milliseconds. A phone system must get the response within a second. The rest of that second is for
 * the network.
 */
const LIMITS_MS = { impatientLookup: 100, lookup: 500, recording: 700, journal: 800 };

/** The deadlines for the work on one request from a phone system. */
export class WebhookDeadline {
  readonly #startedAt = performance.now();

  /** Seconds since the request arrived. */
  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /**
   * Runs work, and stops waiting for the work at the given limit. The work may still complete later, but its queued statements are not sent.
   *
   * @throws DatabaseUnavailableError at the limit.
   */
  within<T>(limit: keyof typeof LIMITS_MS, work: () => Promise<T>): Promise<T> {
    const leftMs = Math.round(LIMITS_MS[limit] - this.seconds * 1000);
    const signal = AbortSignal.timeout(Math.max(0, leftMs));
    const expiry = once(signal, "abort").then((): never => {
      throw new DatabaseUnavailableError("the database does not respond in time");
    });
    return Promise.race([runWithDeadline(signal, work), expiry]);
  }
}
