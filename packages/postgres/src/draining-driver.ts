import { setTimeout as pause } from "node:timers/promises";
import { type DatabaseConnection, type Driver, type PostgresDialectConfig, PostgresDriver } from "kysely";
import { isDatabaseUnavailable, OutcomeUnknownError } from "./postgres-error.js";
import type { Reachability } from "./reachability.js";
import { reconnectPauseMs } from "./retry-pause.js";

type Connection = Parameters<PostgresDriver["releaseConnection"]>[0];

/**
 * Kysely's PostgreSQL driver, which also waits for the end of short outages, reports commits with an unknown outcome, and closes
 * only after all connections are released.
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
        await pause(reconnectPauseMs());
      }
    }
  }

  /** @throws OutcomeUnknownError if the connection is lost during the commit. The server rolls back transactions lost earlier. */
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
      // The caller gets the error of the commit, not of the rollback on the lost connection.
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
