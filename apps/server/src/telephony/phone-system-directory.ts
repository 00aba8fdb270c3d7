import { batchCalls, DatabaseUnavailableError, type Executor } from "@calltrack/postgres";
import { findStoredPhoneSystem, findStoredPhoneSystems } from "../api/phone-systems/phone-system-repository.js";
import type { StoredPhoneSystem } from "../api/phone-systems/phone-system-row.js";
import type { Deadline } from "./deadline.js";
import type { RoutingCache } from "./routing-cache.js";

/** Time until a cached phone system is looked up again, so that changes take effect within ten seconds. */
const FRESH_MS = 5000;

/** Time until a phone system is looked up again because a request was rejected. */
const RECHECK_MS = 1000;

/** Requests that wait for a lookup keep their bodies in memory, and may come from anyone. */
const MAX_WAITING = 256;

/** Lookups of unknown ids, which anyone may invent, take one statement at a time. */
const UNKNOWN_BATCH = { concurrency: 1, calls: MAX_WAITING };

/** Finds phone systems in the routing cache, and in the database if they are not cached. */
export class PhoneSystemDirectory {
  readonly #db: Executor;
  readonly #cache: RoutingCache<StoredPhoneSystem>;
  /** The lookups of cached phone systems in progress. */
  readonly #lookups = new Map<string, Promise<StoredPhoneSystem | undefined>>();
  /** When each phone system was last read from the database, as of `performance.now()`. */
  readonly #readAt = new Map<string, number>();
  readonly #lookUpUnknown: (id: string) => Promise<StoredPhoneSystem | undefined>;
  #waiting = 0;

  constructor(db: Executor, cache: RoutingCache<StoredPhoneSystem>) {
    this.#db = db;
    this.#cache = cache;
    this.#lookUpUnknown = batchCalls(async (ids) => {
      const found = new Map((await findStoredPhoneSystems(db, ids)).map((system) => [system.id, system]));
      return ids.map((id) => this.#keep(found.get(id)));
    }, UNKNOWN_BATCH);
  }

  /**
   * Returns undefined if there is no such phone system. Looks a cached one up again every few seconds, but does not wait long for it.
   *
   * @throws DatabaseUnavailableError if it is not cached and cannot be looked up.
   */
  async find(id: string, deadline: Deadline): Promise<StoredPhoneSystem | undefined> {
    const cached = this.#cache.phoneSystem(id);
    if (cached === undefined) {
      return this.#wait(() => deadline.within("lookup", () => this.#lookUpUnknown(id)));
    }
    if (this.#ageOf(id) <= FRESH_MS) return cached;
    const lookup = this.#lookUp(id, deadline);
    return this.#wait(() => deadline.within("impatientLookup", () => lookup)).catch(() => cached);
  }

  /**
   * Looks up a phone system again, because it may have changed. Returns undefined if it was looked up a moment ago, or if it
   * cannot be looked up.
   */
  async findAgain(id: string, deadline: Deadline): Promise<StoredPhoneSystem | undefined> {
    if (this.#ageOf(id) < RECHECK_MS) return undefined;
    const lookup = this.#lookUp(id, deadline);
    return this.#wait(() => lookup).catch(() => undefined);
  }

  #ageOf(id: string): number {
    return performance.now() - (this.#readAt.get(id) ?? Number.NEGATIVE_INFINITY);
  }

  async #wait<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING) throw new DatabaseUnavailableError("too many webhooks wait for the database");
    this.#waiting++;
    try {
      return await work();
    } finally {
      this.#waiting--;
    }
  }

  /** Looks up a cached phone system. If too many requests wait, nobody waits for the result. */
  #lookUp(id: string, deadline: Deadline): Promise<StoredPhoneSystem | undefined> {
    const running = this.#lookups.get(id);
    if (running !== undefined) return running;
    const lookup = deadline
      .within("lookup", () => findStoredPhoneSystem(this.#db, id))
      .then((system) => this.#keep(system))
      .finally(() => this.#lookups.delete(id));
    lookup.catch(() => {});
    this.#lookups.set(id, lookup);
    return lookup;
  }

  #keep(system: StoredPhoneSystem | undefined): StoredPhoneSystem | undefined {
    if (system === undefined) return undefined;
    this.#cache.putPhoneSystem(system);
    this.#readAt.set(system.id, performance.now());
    return system;
  }
}
