import type { ConnectionSettings } from "../connection-settings.js";
import type { PipelineShape } from "../pipeline.js";
import type { StatementRunner } from "../pipelined-executor.js";
import { DatabaseUnavailableError, isDatabaseUnavailable } from "../postgres-error.js";
import { coalesce } from "./coalesce.js";
import { SlowReadError, StandbyConnection } from "./standby-connection.js";
import { readPrimaryPosition, type WalPosition } from "./wal-position.js";

type StatementRun = Parameters<StatementRunner["run"]>;

/** The pause before retrying an unusable standby. */
const REST_MS = 1000;

/** Observer of the use of a standby. */
export interface ReplicaObserver {
  /** Called when reads move to the standby, or, with the reason, to the primary. */
  change(isUsed: boolean, reason?: unknown): void;
  /** Called for each read with the server that ran it. */
  read(server: "replica" | "primary"): void;
}

/**
 * Runs reads on a standby with the consistency of the primary: they see everything that any client committed before they began.
 * The standby must have reached the primary's position, which concurrent reads request together. If it lags too far behind, is
 * unavailable or fails, reads run on the primary.
 */
export class ReplicaReader implements StatementRunner {
  readonly #primary: StatementRunner;
  readonly #connections: readonly StandbyConnection[];
  readonly #observer: ReplicaObserver;
  readonly #askPrimary: () => Promise<WalPosition>;
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** Whether reads go to the standby; undefined before the first probe. */
  #isUsed: boolean | undefined;
  readonly #inProgress = new Set<Promise<unknown>>();

  constructor(
    primary: StatementRunner,
    shape: PipelineShape,
    settings: ConnectionSettings,
    onIdleError: (error: Error) => void,
    observer: ReplicaObserver = { change() {}, read() {} },
  ) {
    this.#primary = primary;
    this.#connections = Array.from(
      { length: shape.connections },
      () => new StandbyConnection(shape, settings, onIdleError),
    );
    this.#observer = observer;
    // A select without a table has one row. It is read for no call, as its answer serves several.
    this.#askPrimary = coalesce(async () => (await readPrimaryPosition(primary, {}))[0] as WalPosition);
  }

  run<R>(...given: StatementRun): Promise<R[]> {
    const isUsed = this.#isUsed === true;
    const rows = isUsed ? this.#runOnStandby<R>(given) : this.#runOnPrimary<R>(given);
    if (!isUsed && performance.now() >= this.#restsUntil) this.#keep(this.#probe());
    return this.#keep(rows);
  }

  /** Waits for the reads in progress, then closes the connections to the standby. Does not close the primary. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#inProgress);
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  async #runOnStandby<R>(given: StatementRun): Promise<R[]> {
    try {
      const wanted = await this.#askPrimary();
      const rows = await this.#leastBusy().run<R>(wanted, ...given);
      this.#observer.read("replica");
      return rows;
    } catch (error) {
      // For other errors, such as a recovery conflict on the standby, the result of the primary counts.
      if (isDatabaseUnavailable(error)) this.#use(false, error);
      if (error instanceof SlowReadError) for (const each of this.#connections) each.doubt();
      return this.#runOnPrimary(given);
    }
  }

  #runOnPrimary<R>(given: StatementRun): Promise<R[]> {
    this.#observer.read("primary");
    return this.#primary.run(...given);
  }

  /** Checks in the background whether the standby is usable. */
  async #probe(): Promise<void> {
    // Prevents concurrent probes.
    this.#restsUntil = Number.POSITIVE_INFINITY;
    try {
      await this.#leastBusy().reach(await this.#askPrimary());
      this.#use(true);
    } catch (error) {
      this.#use(false, error);
    }
  }

  #use(isUsed: boolean, reason?: unknown): void {
    this.#restsUntil = performance.now() + REST_MS;
    if (isUsed !== this.#isUsed) this.#observer.change(isUsed, reason);
    this.#isUsed = isUsed;
  }

  /** Makes `close` wait for a promise. */
  #keep<T>(promise: Promise<T>): Promise<T> {
    this.#inProgress.add(promise);
    const forget = () => this.#inProgress.delete(promise);
    promise.then(forget, forget);
    return promise;
  }

  /** @throws DatabaseUnavailableError if slow reads block all connections, because the standby may be lost. */
  #leastBusy(): StandbyConnection {
    const free = this.#connections.filter(({ isBlocked }) => !isBlocked);
    if (free.length === 0) throw new DatabaseUnavailableError("it does not answer");
    return free.reduce((least, each) => (each.inFlight < least.inFlight ? each : least));
  }
}
