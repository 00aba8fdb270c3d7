import type { OpenConnection, PipelineSize } from "../pipeline.js";
import type { StatementRunner } from "../pipelined-executor.js";
import { isDatabaseUnavailable } from "../postgres-error.js";
import { coalesce } from "./coalesce.js";
import { SlowReadError, StandbyConnection, StandbyUnusableError } from "./standby-connection.js";
import { readPrimaryPosition, type WalPosition } from "./wal-position.js";

type StatementRun = Parameters<StatementRunner["run"]>;

/** The pause before an unusable standby is tried again. */
const REST_MS = 1000;

/** Observes how a standby is used. */
export interface ReplicaObserver {
  /** From now on, reads go to the standby; or to the primary, for a reason. */
  change(isUsed: boolean, reason?: unknown): void;
  /** A read ran on this server. */
  read(server: "replica" | "primary"): void;
}

/**
 * Runs reads on a standby so that they see what they would see on the primary: everything acknowledged before they began, whoever
 * wrote it. Reads that wait at the same time share one question for the primary's position, which the standby must have reached. If
 * it does not in time, cannot be reached or fails, reads run on the primary.
 */
export class ReplicaReads implements StatementRunner {
  readonly #primary: StatementRunner;
  readonly #connections: readonly StandbyConnection[];
  readonly #observer: ReplicaObserver;
  readonly #askPrimary: () => Promise<WalPosition>;
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** Undefined before it is known. */
  #isUsed: boolean | undefined;
  readonly #inProgress = new Set<Promise<unknown>>();

  constructor(
    primary: StatementRunner,
    { connections, ...size }: PipelineSize,
    open: OpenConnection,
    onIdleError: (error: Error) => void,
    observer: ReplicaObserver = { change() {}, read() {} },
  ) {
    this.#primary = primary;
    this.#connections = Array.from({ length: connections }, () => new StandbyConnection(size, open, onIdleError));
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

  /** Waits for the reads in progress, and closes the connections to the standby; the primary is not closed. */
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
      // Other errors are of the read, or the standby had to remove rows that it was reading: the primary decides.
      if (error instanceof StandbyUnusableError || isDatabaseUnavailable(error)) this.#use(false, error);
      if (error instanceof SlowReadError) for (const each of this.#connections) each.doubt();
      return this.#runOnPrimary(given);
    }
  }

  #runOnPrimary<R>(given: StatementRun): Promise<R[]> {
    this.#observer.read("primary");
    return this.#primary.run(...given);
  }

  /** Checks whether the standby can be read from, while no read waits for it. */
  async #probe(): Promise<void> {
    // One at a time.
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

  /** @throws StandbyUnusableError if slow reads block all connections: the standby may be gone. */
  #leastBusy(): StandbyConnection {
    const free = this.#connections.filter(({ isBlocked }) => !isBlocked);
    if (free.length === 0) throw new StandbyUnusableError("it does not answer");
    return free.reduce((least, each) => (each.inFlight < least.inFlight ? each : least));
  }
}
