import { createBatcher, DatabaseUnavailableError, type Executor } from "@calltrack/postgres";
import { findStoredPhoneSystem, findStoredPhoneSystems } from "../api/phone-systems/phone-system-repository.js";
import type { StoredPhoneSystem } from "../api/phone-systems/phone-system-row.js";
import type { RoutingCache } from "./outage/routing-cache.js";
import type { WebhookDeadline } from "./webhook-deadline.js";

/** Time until a cached phone system is looked up again, so that changes take effect within ten seconds. */
const FRESH_MS = 5000;

/** Minimum time between two lookups of the same phone system because of rejected requests. */
const RECHECK_MS = 1000;

/** Limits memory. A request keeps its body in memory while it waits for a lookup, and anyone can send such requests. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** The memory that a waiting request uses besides its body. */
const REQUEST_BYTES = 4096;

/** Lookups of unknown ids run one statement at a time, because anyone can invent ids. */
const UNKNOWN_BATCH = { concurrency: 1, size: 256 };

/** Finds phone systems in the routing cache, and in the database if they are not cached. */
export class PhoneSystemDirectory {
  readonly #db: Executor;
  readonly #cache: RoutingCache<StoredPhoneSystem>;
  /** Lookups in progress, keyed by the id of the phone system. */
  readonly #lookups = new Map<string, Promise<StoredPhoneSystem | undefined>>();
  /** The time of the last read of each phone system from the database, in `performance.now()` time. Keyed by the id of the phone system. */
  readonly #readAt = new Map<string, number>();
  readonly #lookUpUnknown: (id: string) => Promise<StoredPhoneSystem | undefined>;
  #waitingBytes = 0;

  constructor(db: Executor, cache: RoutingCache<StoredPhoneSystem>) {
    this.#db = db;
    this.#cache = cache;
    this.#lookUpUnknown = createBatcher(async (ids) => {
      const found = new Map((await findStoredPhoneSystems(db, ids)).map((system) => [system.id, system]));
      return ids.map((id) => this.#keep(found.get(id)));
    }, UNKNOWN_BATCH);
  }

  /**
   * Returns a phone system; undefined if it does not exist. A cached phone system is looked up again every few seconds. If that lookup is slow or
   * fails, returns the cached phone system.
   *
   * @param bodyBytes the size of the request's body, which stays in memory during the lookup.
   * @throws DatabaseUnavailableError if the phone system is not cached and cannot be looked up.
   */
  async find(id: string, bodyBytes: number, deadline: WebhookDeadline): Promise<StoredPhoneSystem | undefined> {
    const cached = this.#cache.phoneSystem(id);
    if (cached !== undefined && this.#ageOf(id) <= FRESH_MS) return cached;
    if (cached === undefined) {
      return this.#wait(bodyBytes, () =>
        deadline.within("lookup", () => this.#share(id, () => this.#lookUpUnknown(id))),
      );
    }
    const lookup = this.#lookUp(id, deadline);
    return this.#wait(bodyBytes, () => deadline.within("impatientLookup", () => lookup)).catch(() => cached);
  }

  /**
   * Looks up a phone system again, because it may have changed. Returns undefined if the last lookup is less than `RECHECK_MS` ago, or if
   * the lookup fails.
   */
  async findAgain(id: string, bodyBytes: number, deadline: WebhookDeadline): Promise<StoredPhoneSystem | undefined> {
    if (this.#ageOf(id) < RECHECK_MS) return undefined;
    return this.#wait(bodyBytes, () => this.#lookUp(id, deadline)).catch(() => undefined);
  }

  #ageOf(id: string): number {
    return performance.now() - (this.#readAt.get(id) ?? Number.NEGATIVE_INFINITY);
  }

  /** @throws DatabaseUnavailableError if the waiting requests would exceed `MAX_WAITING_BYTES`. */
  async #wait<T>(bodyBytes: number, work: () => Promise<T>): Promise<T> {
    const bytes = bodyBytes + REQUEST_BYTES;
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      throw new DatabaseUnavailableError("too many requests from phone systems wait for the database");
    }
    this.#waitingBytes += bytes;
    try {
      return await work();
    } finally {
      this.#waitingBytes -= bytes;
    }
  }

  #lookUp(id: string, deadline: WebhookDeadline): Promise<StoredPhoneSystem | undefined> {
    return this.#share(id, () =>
      deadline.within("lookup", () => findStoredPhoneSystem(this.#db, id)).then((system) => this.#keep(system)),
    );
  }

  /** Shares one lookup between concurrent requests for the same id. */
  #share(id: string, start: () => Promise<StoredPhoneSystem | undefined>): Promise<StoredPhoneSystem | undefined> {
    const running = this.#lookups.get(id);
    if (running !== undefined) return running;
    const lookup = start().finally(() => this.#lookups.delete(id));
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
