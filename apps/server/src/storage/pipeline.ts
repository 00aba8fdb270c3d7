import { setTimeout as pause } from "node:timers/promises";
import type { QueryResult } from "kysely";
import type { PendingQuery, PipelineConnection } from "./pipeline-connection.js";
import { DatabaseUnavailableError } from "./postgres-error.js";
import type { PreparedQuery } from "./prepared-query.js";

/** How many statements a pipeline has under way at a time. */
export interface PipelineSize {
  /** The most connections. */
  readonly connections: number;
  /** The most statements on a connection: one that is slow holds up those behind it. */
  readonly depth: number;
  /** How long a statement may wait for its turn. */
  readonly waitTimeoutMs: number;
}

/** Opens a connection; see `PipelineConnection.open`. */
export type OpenConnection = (
  onAnswer: () => void,
  onUnusable: (connection: PipelineConnection, error?: Error) => void,
) => Promise<PipelineConnection>;

/** After a failed attempt to connect, the next one is not before this. */
const RECONNECT_AFTER_MS = 100;

/**
 * Runs single statements over few connections, each over the one that has the least to do. Connections are opened when there
 * is work for them; one that is lost is replaced when it is needed. No statement is ever sent twice.
 */
export class Pipeline {
  readonly #size: PipelineSize;
  readonly #openConnection: OpenConnection;
  readonly #onIdleError: (error: Error) => void;
  #connections: PipelineConnection[] = [];
  #opening: Promise<void> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  readonly #waiting: PendingQuery[] = [];
  #waitTimer: NodeJS.Timeout | undefined;

  /** @param onIdleError is told of a connection that failed while it had nothing to do. */
  constructor(size: PipelineSize, open: OpenConnection, onIdleError: (error: Error) => void) {
    this.#size = size;
    this.#openConnection = open;
    this.#onIdleError = onIdleError;
  }

  /** @throws the database's error, that of a failed attempt to connect, or DatabaseUnavailableError. */
  run(query: PreparedQuery<unknown>): Promise<QueryResult<unknown>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ query, resolve, reject, since: performance.now() });
      this.#dispatch();
    });
  }

  /** Closes the connections. Call it when no statement is under way. */
  async close(): Promise<void> {
    clearTimeout(this.#waitTimer);
    await this.#opening;
    const connections = this.#connections;
    this.#connections = [];
    await Promise.all(connections.map((connection) => connection.close()));
  }

  readonly #dispatch = (): void => {
    while (this.#waiting.length > 0) {
      const connection = this.#leastLoaded();
      const load = connection?.inFlight ?? Number.POSITIVE_INFINITY;
      if (load > 0 && this.#connections.length < this.#size.connections) this.#open();
      if (connection === undefined || load >= this.#size.depth) break;
      connection.send(this.#waiting.shift() as PendingQuery);
    }
    if (this.#waiting.length > 0) this.#waitTimer ??= setTimeout(this.#expire, this.#size.waitTimeoutMs);
  };

  #leastLoaded(): PipelineConnection | undefined {
    let least = this.#connections[0];
    for (const each of this.#connections) if (each.inFlight < (least as PipelineConnection).inFlight) least = each;
    return least;
  }

  #open(): void {
    this.#opening ??= this.#connect().then(
      (connection) => this.#onOpen(connection),
      (error) => this.#onOpenFailure(error),
    );
  }

  async #connect(): Promise<PipelineConnection> {
    const early = this.#failedAt + RECONNECT_AFTER_MS - performance.now();
    if (early > 0) await pause(early);
    return this.#openConnection(this.#dispatch, this.#drop);
  }

  #onOpen(connection: PipelineConnection): void {
    this.#opening = undefined;
    // It may have been lost between being opened and being handed over here.
    if (connection.isUsable) this.#connections.push(connection);
    this.#dispatch();
  }

  #onOpenFailure(error: unknown): void {
    this.#opening = undefined;
    this.#failedAt = performance.now();
    // Else those that wait have their turn on a connection that is there.
    if (this.#connections.length === 0) this.#rejectWaiting(error);
  }

  readonly #drop = (connection: PipelineConnection, error?: Error): void => {
    this.#connections = this.#connections.filter((each) => each !== connection);
    if (error !== undefined) this.#onIdleError(error);
    this.#dispatch();
  };

  #rejectWaiting(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  readonly #expire = (): void => {
    this.#waitTimer = undefined;
    const last = performance.now() - this.#size.waitTimeoutMs;
    while (this.#waiting[0] !== undefined && this.#waiting[0].since <= last) {
      this.#waiting.shift()?.reject(new DatabaseUnavailableError("no database connection became free in time"));
    }
    const next = this.#waiting[0];
    if (next !== undefined) this.#waitTimer = setTimeout(this.#expire, next.since - last);
  };
}
