import type { QueryResult } from "kysely";
import type { OpenConnection, PipelineSize } from "../pipeline.js";
import type { StatementRunner } from "../pipelined-kysely.js";
import { isDatabaseUnavailable } from "../postgres-error.js";
import type { PreparedQuery } from "../prepared-query.js";
import { shareAnswers } from "./share-answers.js";
import { SlowReadError, StandbyConnection, StandbyUnusableError } from "./standby-connection.js";
import { readPrimaryPosition, type WalPosition } from "./wal-position.js";

/** How long after the standby could not be read from it is looked at again. */
const REST_MS = 1000;

/** Takes note of how a standby is used. */
export interface ReplicaObserver {
  /** Reads go to the standby from now on; or to the primary, with why. */
  change(isUsed: boolean, reason?: unknown): void;
  /** A read was answered. */
  read(server: "replica" | "primary"): void;
}

/**
 * Runs reads on a standby of the primary so that they see what they would see there: everything that was acknowledged before
 * they began, whichever server has written it. The primary is asked how far it has come, once for all reads that wait for it
 * at the moment, and the standby must have come as far. If it has not in time, cannot be reached or fails, the primary is read
 * from.
 */
export class ReplicaReads implements StatementRunner {
  readonly #primary: StatementRunner;
  readonly #connections: readonly StandbyConnection[];
  readonly #observer: ReplicaObserver;
  readonly #askPrimary: () => Promise<WalPosition>;
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** Undefined before it is known. */
  #isUsed: boolean | undefined;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(
    primary: StatementRunner,
    { connections, ...size }: PipelineSize,
    open: OpenConnection,
    onIdleError: (error: Error) => void,
    observer: ReplicaObserver,
  ) {
    this.#primary = primary;
    this.#connections = Array.from({ length: connections }, () => new StandbyConnection(size, open, onIdleError));
    this.#observer = observer;
    this.#askPrimary = shareAnswers(() => readPrimaryPosition(primary));
  }

  run(query: PreparedQuery<unknown>): Promise<QueryResult<unknown>> {
    const run = this.#isUsed === true ? this.#runOnStandby(query) : this.#runOnPrimary(query);
    if (this.#isUsed !== true && performance.now() >= this.#restsUntil) this.#keep(this.#probe());
    return this.#keep(run);
  }

  /** Waits for the reads under way, and closes the connections to the standby; the primary is not closed. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  async #runOnStandby(query: PreparedQuery<unknown>): Promise<QueryResult<unknown>> {
    try {
      const wanted = await this.#askPrimary();
      const result = await this.#leastBusy().run(query, wanted);
      this.#observer.read("replica");
      return result;
    } catch (error) {
      // Else it is the read that failed, perhaps as it takes long, or the standby had to remove what it was reading. The primary knows.
      if (error instanceof StandbyUnusableError || isDatabaseUnavailable(error)) this.#use(false, error);
      if (error instanceof SlowReadError) for (const each of this.#connections) each.doubt();
      return this.#runOnPrimary(query);
    }
  }

  #runOnPrimary(query: PreparedQuery<unknown>): Promise<QueryResult<unknown>> {
    this.#observer.read("primary");
    return this.#primary.run(query);
  }

  /** Looks whether the standby can be read from, while no read waits for it. */
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

  /** Lets `close` wait for it. */
  #keep<T>(promise: Promise<T>): Promise<T> {
    this.#underWay.add(promise);
    const forget = () => this.#underWay.delete(promise);
    promise.then(forget, forget);
    return promise;
  }

  /** @throws StandbyUnusableError if all of them wait for reads that take long: it may be that it does nothing any more. */
  #leastBusy(): StandbyConnection {
    const free = this.#connections.filter(({ isBlocked }) => !isBlocked);
    if (free.length === 0) throw new StandbyUnusableError("it does not answer");
    return free.reduce((least, each) => (each.inFlight < least.inFlight ? each : least));
  }
}
