import { once } from "node:events";
import { DatabaseUnavailableError, runWithDeadline } from "@calltrack/postgres";

/** The parts of the second in which a phone system gets its answer. The rest is for its network. */
const LIMITS_MS = { impatientLookup: 100, lookup: 500, recording: 700, journal: 800 };

/** The deadlines of the work for a request of a phone system. */
export class Deadline {
  readonly #startedAt = performance.now();

  /** Seconds since the request arrived. */
  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /**
   * Runs work until its part of the second is over. Work that takes longer is left to itself: it may still be done, but its waiting
   * statements are not sent.
   *
   * @throws DatabaseUnavailableError if the time is over.
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
