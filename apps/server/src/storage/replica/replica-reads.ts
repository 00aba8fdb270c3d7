import type { QueryResult } from "kysely";
import type { OpenConnection, PipelineSize } from "../pipeline.js";
import type { StatementRunner } from "../pipelined-kysely.js";
import { isDatabaseUnavailable } from "../postgres-error.js";
import type { PreparedQuery } from "../prepared-query.js";
import { shareAnswers } from "./share-answers.js";
import { StandbyConnection, StandbyUnusableError } from "./standby-connection.js";
import { readPrimaryPosition, type WalPosition } from "./wal-position.js";

/** For how long reads go to the primary when the standby could not be read from. */
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
    if (performance.now() < this.#restsUntil) return this.#runOnPrimary(query);
    const run = this.#run(query).finally(() => this.#underWay.delete(run));
    this.#underWay.add(run);
    return run;
  }

  /** Waits for the reads under way, and closes the connections to the standby; the primary is not closed. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  async #run(query: PreparedQuery<unknown>): Promise<QueryResult<unknown>> {
    return (await this.#runOnStandby(query)) ?? this.#runOnPrimary(query);
  }

  #runOnPrimary(query: PreparedQuery<unknown>): Promise<QueryResult<unknown>> {
    this.#observer.read("primary");
    return this.#primary.run(query);
  }

  async #runOnStandby(query: PreparedQuery<unknown>): Promise<QueryResult<unknown> | undefined> {
    try {
      const wanted = await this.#askPrimary();
      const result = await this.#leastBusy().run(query, wanted);
      this.#note(true);
      this.#observer.read("replica");
      return result;
    } catch (error) {
      // Else it is the read that failed, perhaps as the standby had to remove what it was reading. The primary knows.
      if (error instanceof StandbyUnusableError || isDatabaseUnavailable(error)) this.#rest(error);
      return undefined;
    }
  }

  #rest(reason: unknown): void {
    this.#restsUntil = performance.now() + REST_MS;
    this.#note(false, reason);
  }

  #note(isUsed: boolean, reason?: unknown): void {
    if (isUsed === this.#isUsed) return;
    this.#isUsed = isUsed;
    this.#observer.change(isUsed, reason);
  }

  #leastBusy(): StandbyConnection {
    return this.#connections.reduce((least, each) => (each.inFlight < least.inFlight ? each : least));
  }
}
