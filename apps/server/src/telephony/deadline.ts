import { setTimeout as pause } from "node:timers/promises";
import { DatabaseUnavailableError, runWithDeadline } from "@calltrack/postgres";

/** The parts of the second in which a phone system gets its answer. The rest is for its network. */
const LIMITS_MS = { lookup: 500, recording: 700, journal: 800 };

/** The deadlines of the work for a request of a phone system. */
export class Deadline {
  readonly #startedAt = performance.now();

  /** Seconds since the request arrived. */
  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /**
   * Runs lookups in the database.
   *
   * @param maxMs a shorter time.
   * @throws DatabaseUnavailableError if the time is over.
   */
  forLookup<T>(work: () => Promise<T>, maxMs = LIMITS_MS.lookup): Promise<T> {
    return this.#within(maxMs, work);
  }

  /** Runs writes in the database. @throws DatabaseUnavailableError if the time is over; the write may be done later. */
  forRecording<T>(work: () => Promise<T>): Promise<T> {
    return this.#within(LIMITS_MS.recording, work);
  }

  /** Waits for the journal. @throws DatabaseUnavailableError if the time is over; the journal goes on. */
  forJournal<T>(work: () => Promise<T>): Promise<T> {
    return this.#within(LIMITS_MS.journal, work);
  }

  /** Work that takes longer is left to itself: its waiting statements are not sent. */
  async #within<T>(ms: number, work: () => Promise<T>): Promise<T> {
    const [given, ended] = [new AbortController(), new AbortController()];
    const result = runWithDeadline(given.signal, work);
    const expiry = pause(Math.max(0, ms - this.seconds * 1000), undefined, { signal: ended.signal }).then(() => {
      given.abort();
      throw new DatabaseUnavailableError("the database does not respond in time");
    });
    // The slower one is left to itself.
    result.catch(() => {});
    expiry.catch(() => {});
    try {
      return await Promise.race([result, expiry]);
    } finally {
      ended.abort();
    }
  }
}
