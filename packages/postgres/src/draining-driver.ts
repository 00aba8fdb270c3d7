import { setTimeout as pause } from "node:timers/promises";
import { type DatabaseConnection, type Driver, type PostgresDialectConfig, PostgresDriver } from "kysely";
import { isDatabaseUnavailable, OutcomeUnknownError } from "./postgres-error.js";
import type { Reachability } from "./reachability.js";

/** The pause after a failed attempt to connect; by chance up to twice as long. */
const RECONNECT_PAUSE_MS = 100;

type Connection = Parameters<PostgresDriver["releaseConnection"]>[0];

/**
 * Kysely's driver of PostgreSQL, which also waits out short outages, tells when the outcome of a commit is unknown, and closes only
 * when all connections are released.
 */
export class DrainingDriver extends PostgresDriver {
  readonly #reachability: Reachability;
  readonly #lost = new WeakSet<DatabaseConnection>();
  #acquired = 0;
  #onAllReleased: () => void = () => {};

  constructor(config: PostgresDialectConfig, reachability: Reachability) {
    super(config);
    this.#reachability = reachability;
  }

  override async acquireConnection(...options: Parameters<Driver["acquireConnection"]>): Promise<DatabaseConnection> {
    this.#acquired++;
    for (;;) {
      try {
        return await super.acquireConnection(...options);
      } catch (error) {
        if (!isDatabaseUnavailable(error) || !this.#reachability.isShortOutage) {
          this.#onRelease();
          throw error;
        }
        await pause(RECONNECT_PAUSE_MS * (1 + Math.random()));
      }
    }
  }

  /** @throws OutcomeUnknownError if the connection is lost meanwhile. A transaction lost earlier is rolled back by the server. */
  override async commitTransaction(connection: Connection): Promise<void> {
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      this.#lost.add(connection);
      throw new OutcomeUnknownError(error);
    }
  }

  override async rollbackTransaction(connection: Connection): Promise<void> {
    const isLost = this.#lost.delete(connection);
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      // The caller gets the error of the commit, not that a rollback over a lost connection fails.
      if (!isLost) throw error;
    }
  }

  override async releaseConnection(connection: Connection): Promise<void> {
    await super.releaseConnection(connection);
    this.#onRelease();
  }

  override async destroy(): Promise<void> {
    if (this.#acquired > 0) {
      await new Promise<void>((resolve) => {
        this.#onAllReleased = resolve;
      });
    }
    await super.destroy();
  }

  #onRelease(): void {
    this.#acquired--;
    if (this.#acquired === 0) this.#onAllReleased();
  }
}
