import { setTimeout as pause } from "node:timers/promises";
import type { QueryResult } from "kysely";
import { Meeting } from "./meeting.js";
import type { PendingQuery, PipelineConnection } from "./pipeline-connection.js";
import { DatabaseUnavailableError } from "./postgres-error.js";
import type { PreparedQuery, PreparedText } from "./prepared-query.js";

/** How many statements a pipeline has under way at a time. */
export interface PipelineSize {
  /** The most connections. */
  readonly connections: number;
  /** The most statements on a connection: one that is slow holds up those behind it. */
  readonly depth: number;
  /** Whether look-ups that meet share a statement. */
  readonly folds: boolean;
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
 * Runs single statements over few connections, each over the one that has the least to do. What is asked for in one turn of the
 * event loop leaves together at its end, and reads of the same kind among it as one statement. Connections are opened when there
 * is work for them; one that is lost is replaced when it is needed. Nothing that changes rows is ever sent twice.
 */
export class Pipeline {
  readonly #size: PipelineSize;
  readonly #openConnection: OpenConnection;
  readonly #onIdleError: (error: Error) => void;
  #connections: PipelineConnection[] = [];
  #opening: Promise<void> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** Where runs that can share a statement meet, by its text. */
  readonly #meetings = new Map<PreparedText, Meeting>();
  readonly #waiting: PendingQuery[] = [];
  #waitTimer: NodeJS.Timeout | undefined;
  #isDispatching = false;
  #onIdle: (() => void) | undefined;

  /** @param onIdleError is told of a connection that failed while it had nothing to do. */
  constructor(size: PipelineSize, open: OpenConnection, onIdleError: (error: Error) => void) {
    this.#size = size;
    this.#openConnection = open;
    this.#onIdleError = onIdleError;
  }

  /**
   * Runs a statement.
   *
   * @throws the database's error, that of a failed attempt to connect, or DatabaseUnavailableError.
   */
  run({ text, parameters }: PreparedQuery<unknown>): Promise<QueryResult<unknown>> {
    return new Promise((resolve, reject) => {
      const pending: PendingQuery = { sql: text.sql, parameters, resolve, reject, since: performance.now() };
      if (text.folded === undefined || !this.#size.folds) this.#waiting.push(pending);
      else this.#meetingOf(text, text.folded).add(pending);
      this.#dispatchSoon();
    });
  }

  /** Waits for the statements that are under way, and closes the connections. No more may be asked for. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      this.#dispatchSoon();
    });
    await this.#opening;
    const connections = this.#connections;
    this.#connections = [];
    await Promise.all(connections.map((connection) => connection.close()));
  }

  #meetingOf(text: PreparedText, folded: string): Meeting {
    const known = this.#meetings.get(text);
    if (known !== undefined) return known;
    const meeting = new Meeting(folded, this.#dispatchSoon, this.#enqueue);
    this.#meetings.set(text, meeting);
    return meeting;
  }

  readonly #enqueue = (pending: PendingQuery): void => {
    this.#waiting.push(pending);
    this.#dispatchSoon();
  };

  readonly #dispatchSoon = (): void => {
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    setImmediate(this.#dispatch);
  };

  readonly #dispatch = (): void => {
    this.#isDispatching = false;
    for (const meeting of this.#meetings.values()) {
      for (let query = meeting.take(); query !== undefined; query = meeting.take()) this.#waiting.push(query);
    }
    this.#sendWaiting();
    for (const connection of this.#connections) connection.flush();
    if (this.#waiting.length > 0) this.#waitTimer ??= setTimeout(this.#expire, this.#size.waitTimeoutMs);
    else if (this.#connections.every(({ inFlight }) => inFlight === 0)) this.#onIdle?.();
  };

  #sendWaiting(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#leastLoaded();
      const load = connection?.inFlight ?? Number.POSITIVE_INFINITY;
      if (load > 0 && this.#connections.length < this.#size.connections) this.#open();
      if (connection === undefined || load >= this.#size.depth) return;
      connection.send(this.#waiting.shift() as PendingQuery);
    }
  }

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
    return this.#openConnection(this.#dispatchSoon, this.#drop);
  }

  #onOpen(connection: PipelineConnection): void {
    this.#opening = undefined;
    // It may have been lost between being opened and being handed over here.
    if (connection.isUsable) this.#connections.push(connection);
    this.#dispatchSoon();
  }

  #onOpenFailure(error: unknown): void {
    this.#opening = undefined;
    this.#failedAt = performance.now();
    // Else those that wait have their turn on a connection that is there.
    if (this.#connections.length === 0) this.#rejectWaiting(error);
    this.#dispatchSoon();
  }

  readonly #drop = (connection: PipelineConnection, error?: Error): void => {
    this.#connections = this.#connections.filter((each) => each !== connection);
    if (error !== undefined) this.#onIdleError(error);
    this.#dispatchSoon();
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
    this.#dispatchSoon();
  };
}
