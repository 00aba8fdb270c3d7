import { setTimeout as pause } from "node:timers/promises";
import type { CallContext } from "./call-context.js";
import { CallAbandonedError } from "./call-deadline.js";
import type { CompiledStatement } from "./compiled-statement.js";
import type { ConnectionSettings } from "./connection-settings.js";
import { LookupBatcher } from "./lookup-batcher.js";
import { type ConnectionListener, type PendingQuery, PipelineConnection } from "./pipeline-connection.js";
import type { StatementRunner } from "./pipelined-executor.js";
import type { ConnectionLoad } from "./pool-stats.js";
import {
  DatabaseUnavailableError,
  isDatabaseUnavailable,
  isReadOnly,
  isTransient,
  mayHaveExecuted,
  OutcomeUnknownError,
} from "./postgres-error.js";
import type { Reachability } from "./reachability.js";
import { MAX_ATTEMPTS, reconnectPauseMs, retryPauseMs } from "./retry-pause.js";

/** The connections of a pipeline. */
export interface PipelineShape {
  /** The maximum number of connections. */
  readonly connections: number;
  /**
   * The maximum number of statements in flight on a connection. A slow one delays the next. With 1, abandoned ones are cancelled.
   */
  readonly depth: number;
  /** Whether concurrent runs of a lookup share statements. */
  readonly coalesces: boolean;
}

/** Observer of a pipeline. */
export interface PipelineObserver {
  onIdleError(error: Error): void;
  onReadOnly(): void;
  /** Called after each statement with the time since it was requested. */
  onStatement?(ms: number): void;
}

/** The interval of checks for silent servers. */
const WATCH_INTERVAL_MS = 1000;

/**
 * Runs single statements over a few connections, each on the least loaded one. Sends all statements of one turn of the event loop
 * together, and batches concurrent runs of a lookup. Opens connections, and replaces lost ones, on demand.
 *
 * Retries a statement a few times if it changed nothing and the failure is transient, or if it only reads and its connection was
 * lost. Never retries a write that may have been executed.
 */
export class Pipeline implements StatementRunner {
  readonly #shape: PipelineShape;
  readonly #settings: ConnectionSettings;
  readonly #openConnection: typeof PipelineConnection.open;
  readonly #observer: PipelineObserver;
  readonly #reachability: Reachability;
  readonly #listener: ConnectionListener;
  #connections: PipelineConnection[] = [];
  /** Connections that no longer accept statements but have some in flight. */
  readonly #retired = new Set<PipelineConnection>();
  #opening: Promise<void> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  readonly #batchers = new Map<CompiledStatement, LookupBatcher>();
  readonly #waiting: PendingQuery[] = [];
  /** The number of statements that wait to be retried. */
  #pausing = 0;
  #waitTimer: NodeJS.Timeout | undefined;
  #watchTimer: NodeJS.Timeout | undefined;
  #isDispatching = false;
  #onIdle: (() => void) | undefined;
  #isClosed = false;

  /** @param reachability is shared by all pools of the server. */
  constructor(
    shape: PipelineShape,
    settings: ConnectionSettings,
    observer: PipelineObserver,
    reachability: Reachability,
    open = PipelineConnection.open,
  ) {
    this.#shape = shape;
    this.#settings = settings;
    this.#openConnection = open;
    this.#observer = observer;
    this.#reachability = reachability;
    this.#listener = { onAnswer: this.#onAnswer, onFailure: this.#onFailure, onUnusable: this.#drop };
  }

  load(): ConnectionLoad {
    const busy = this.#connections.filter(({ inFlight }) => inFlight > 0).length;
    return { open: this.#connections.length, busy, waiting: this.#waiting.length };
  }

  /** @throws as `Executor.run`. */
  run<R>(statement: CompiledStatement, values: readonly unknown[], call?: CallContext): Promise<R[]> {
    return new Promise<unknown[]>((resolve, reject) => {
      if (this.#isClosed) return reject(new Error("the database is closed"));
      const since = performance.now();
      const deadline = call?.deadline;
      const pending: PendingQuery = { statement, values, resolve, reject, since, deadline, attempts: 0 };
      // On a shared connection, cancelling one statement could cancel another.
      if (this.#shape.depth === 1) deadline?.onAbandoned(() => this.#cancel(pending));
      const { batch } = statement;
      if (batch === undefined || !this.#shape.coalesces) this.#waiting.push(pending);
      else this.#batcherOf(batch).add(pending);
      this.#dispatchSoon();
    }) as Promise<R[]>;
  }

  /** Replaces all connections, because their server may no longer be the primary. */
  renew(): void {
    for (const connection of this.#connections) connection.retire();
  }

  /** Waits for the statements in progress, then closes the connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      this.#dispatchSoon();
    });
    clearInterval(this.#watchTimer);
    await this.#opening;
    const connections = this.#connections;
    this.#connections = [];
    await Promise.all(connections.map((connection) => connection.close()));
  }

  #batcherOf(batch: CompiledStatement): LookupBatcher {
    const known = this.#batchers.get(batch);
    if (known !== undefined) return known;
    const batcher = new LookupBatcher(batch, this.#dispatchSoon, this.#enqueue);
    this.#batchers.set(batch, batcher);
    return batcher;
  }

  readonly #enqueue = (pending: PendingQuery): void => {
    this.#waiting.push(pending);
    this.#dispatchSoon();
  };

  readonly #onAnswer = ({ since }: PendingQuery): void => {
    this.#observer.onStatement?.(performance.now() - since);
    this.#dispatchSoon();
  };

  readonly #dispatchSoon = (): void => {
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    setImmediate(this.#dispatch);
  };

  readonly #dispatch = (): void => {
    this.#isDispatching = false;
    this.#gather();
    this.#sendWaiting();
    for (const connection of this.#connections) connection.flush();
    if (this.#waiting.length > 0) this.#waitTimer ??= setTimeout(this.#expire, this.#settings.connectTimeoutMs);
    else if (this.#onIdle !== undefined && this.#isIdle()) this.#onIdle();
  };

  /** Queues the lookup statements that can be sent now. */
  #gather(): void {
    for (const batcher of this.#batchers.values()) {
      for (let query = batcher.take(); query !== undefined; query = batcher.take()) this.#waiting.push(query);
    }
  }

  #isIdle(): boolean {
    const all = [...this.#connections, ...this.#retired];
    return this.#pausing === 0 && all.every(({ inFlight }) => inFlight === 0);
  }

  #sendWaiting(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#leastLoaded();
      const load = connection?.inFlight ?? Number.POSITIVE_INFINITY;
      if (load > 0 && this.#connections.length < this.#shape.connections) this.#open();
      if (connection === undefined || load >= this.#shape.depth) return;
      const pending = this.#waiting.shift() as PendingQuery;
      if (pending.deadline?.isAbandoned === true) pending.reject(new CallAbandonedError());
      else connection.send(pending);
    }
  }

  #leastLoaded(): PipelineConnection | undefined {
    let least = this.#connections[0];
    for (const each of this.#connections) if (each.inFlight < (least as PipelineConnection).inFlight) least = each;
    return least;
  }

  #cancel(pending: PendingQuery): void {
    for (const connection of this.#connections) connection.cancel(pending);
  }

  readonly #onFailure = (pending: PendingQuery, error: unknown, isLost: boolean): void => {
    if (isReadOnly(error)) this.#observer.onReadOnly();
    pending.attempts++;
    // A cluster reports a lost worker as an error, but the worker may have run the statement.
    const isUnknown = isLost || (isDatabaseUnavailable(error) && mayHaveExecuted(error));
    if (isUnknown && pending.statement.writes) pending.reject(new OutcomeUnknownError(error));
    else if ((isUnknown || isTransient(error)) && pending.attempts < MAX_ATTEMPTS) this.#retry(pending);
    else pending.reject(error);
  };

  #retry(pending: PendingQuery): void {
    this.#pausing++;
    const send = () => {
      this.#pausing--;
      this.#enqueue(pending);
    };
    setTimeout(send, retryPauseMs(pending.attempts));
  }

  #open(): void {
    this.#opening ??= this.#connect().then(
      (connection) => this.#onOpen(connection),
      (error) => this.#onOpenFailure(error),
    );
  }

  async #connect(): Promise<PipelineConnection> {
    const early = this.#failedAt + reconnectPauseMs() - performance.now();
    if (early > 0) await pause(early);
    return this.#openConnection(this.#settings, this.#listener);
  }

  #onOpen(connection: PipelineConnection): void {
    this.#opening = undefined;
    this.#reachability.noteReached();
    if (this.#settings.statementTimeoutMs > 0) this.#watchTimer ??= setInterval(this.#watch, WATCH_INTERVAL_MS).unref();
    // The connection may already be lost.
    if (connection.isUsable) this.#connections.push(connection);
    this.#dispatchSoon();
  }

  #onOpenFailure(error: unknown): void {
    this.#opening = undefined;
    this.#failedAt = performance.now();
    // Otherwise, waiting statements use an open connection, or one that opens soon.
    if (this.#connections.length === 0 && !this.#reachability.isShortOutage) this.#rejectWaiting(error);
    this.#dispatchSoon();
  }

  readonly #drop = (connection: PipelineConnection, error?: Error): void => {
    this.#connections = this.#connections.filter((each) => each !== connection);
    if (connection.inFlight > 0) this.#retired.add(connection);
    this.#reachability.noteReached();
    if (error !== undefined) this.#observer.onIdleError(error);
    this.#dispatchSoon();
  };

  #rejectWaiting(error: unknown): void {
    for (this.#gather(); this.#waiting.length > 0; this.#gather()) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    }
  }

  readonly #watch = (): void => {
    for (const connection of [...this.#connections, ...this.#retired]) connection.watch();
    for (const connection of this.#retired) if (connection.inFlight === 0) this.#retired.delete(connection);
  };

  readonly #expire = (): void => {
    this.#waitTimer = undefined;
    const last = performance.now() - this.#settings.connectTimeoutMs;
    for (;;) {
      this.#gather();
      if (this.#waiting[0] === undefined || this.#waiting[0].since > last) break;
      this.#waiting.shift()?.reject(new DatabaseUnavailableError("timed out waiting for a free database connection"));
    }
    this.#dispatchSoon();
  };
}
