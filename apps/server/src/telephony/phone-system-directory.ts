import { DatabaseUnavailableError, type Executor } from "@calltrack/postgres";
import { findStoredPhoneSystem } from "../api/phone-systems/phone-system-repository.js";
import type { StoredPhoneSystem } from "../api/phone-systems/phone-system-row.js";
import type { Deadline } from "./deadline.js";
import type { RoutingCache } from "./routing-cache.js";

/** Time until a cached phone system is looked up again. */
const FRESH_MS = 5000;

/** Time until a phone system is looked up again because a request was rejected. */
const RECHECK_MS = 1000;

/** Bounds the lookups for requests that may come from anyone. */
const MAX_LOOKUPS = 16;

/** Finds phone systems in the routing cache, and in the database if they are not cached. */
export class PhoneSystemDirectory {
  readonly #db: Executor;
  readonly #cache: RoutingCache<StoredPhoneSystem>;
  readonly #lookups = new Map<string, Promise<StoredPhoneSystem | undefined>>();
  /** When each phone system was last read from the database, as of `performance.now()`. */
  readonly #readAt = new Map<string, number>();

  constructor(db: Executor, cache: RoutingCache<StoredPhoneSystem>) {
    this.#db = db;
    this.#cache = cache;
  }

  /**
   * Returns undefined if there is no such phone system. Refreshes a cached one in the background.
   *
   * @throws DatabaseUnavailableError if it is not cached and cannot be looked up.
   */
  async find(id: string, deadline: Deadline): Promise<StoredPhoneSystem | undefined> {
    const cached = this.#cache.phoneSystem(id);
    if (cached === undefined) return this.#lookUp(id, deadline);
    if (this.#ageOf(id) > FRESH_MS) this.#lookUp(id, deadline).catch(() => {});
    return cached;
  }

  /**
   * Looks up a phone system again, because it may have changed. Returns undefined if it was looked up a moment ago, or if it
   * cannot be looked up.
   */
  async findAgain(id: string, deadline: Deadline): Promise<StoredPhoneSystem | undefined> {
    return this.#ageOf(id) < RECHECK_MS ? undefined : this.#lookUp(id, deadline).catch(() => undefined);
  }

  #ageOf(id: string): number {
    return performance.now() - (this.#readAt.get(id) ?? Number.NEGATIVE_INFINITY);
  }

  #lookUp(id: string, deadline: Deadline): Promise<StoredPhoneSystem | undefined> {
    const running = this.#lookups.get(id);
    if (running !== undefined) return running;
    if (this.#lookups.size >= MAX_LOOKUPS) return Promise.reject(new DatabaseUnavailableError("too many lookups"));
    const lookup = deadline
      .within("lookup", () => findStoredPhoneSystem(this.#db, id))
      .then((system) => this.#keep(system))
      .finally(() => this.#lookups.delete(id));
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
