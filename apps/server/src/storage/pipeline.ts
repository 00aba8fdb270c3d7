import { setTimeout as pause } from "node:timers/promises";
import type { QueryResult } from "kysely";
import type { ConnectionLoad } from "./connection-pool.js";
import { Meeting } from "./meeting.js";
import type { Outage } from "./outage.js";
import type { ConnectionListener, PendingQuery, PipelineConnection } from "./pipeline-connection.js";
import {
  DatabaseUnavailableError,
  isDatabaseUnavailable,
  isReadOnly,
  isTransient,
  mayBeDone,
  OutcomeUnknownError,
} from "./postgres-error.js";
import type { PreparedQuery, PreparedText } from "./prepared-query.js";
import { CallAbandonedError, currentCall } from "./waited-call.js";

/** How many statements a pipeline has under way at a time, and how long they may take. */
export interface PipelineSize {
  /** The most connections. */
  readonly connections: number;
  /** The most statements on a connection: one that is slow holds up those behind it. */
  readonly depth: number;
  /** Whether look-ups that meet share a statement. */
  readonly folds: boolean;
  /** How long a statement may wait for its turn. */
  readonly waitTimeoutMs: number;
  /** How long a statement may run; 0 for as long as it takes. */
  readonly statementTimeoutMs: number;
}

/** Opens a connection; see `PipelineConnection.open`. */
export type OpenConnection = (listener: ConnectionListener) => Promise<PipelineConnection>;

/** Is told what others than the pipeline have to know of its server. */
export interface PipelineObserver {
  /** A connection failed while it had nothing to do. */
  onIdleError(error: Error): void;
  /** The server takes only reads from now on. */
  onReadOnly(): void;
  /** A statement was answered, or has failed, so long after it was asked for. */
  onStatement?(ms: number): void;
}

/** After a failed attempt to connect, the next one is not before this, and up to twice as long, by chance. */
const RECONNECT_AFTER_MS = 100;

/** How often a statement is sent at most that failed in a way that may pass, and after how long, by chance up to twice that. */
const MOST_ATTEMPTS = 4;
const AGAIN_AFTER_MS = 10;

/** How often it is looked whether the server still answers. */
const WATCH_INTERVAL_MS = 1000;

/**
 * Runs single statements over few connections, each over the one that has the least to do. What is asked for in one turn of the
 * event loop leaves together at its end, and reads of the same kind among it as one statement. Connections are opened when there
 * is work for them; one that is lost is replaced when it is needed.
 *
 * A statement is sent again, a few times, when it failed by what else happened at the moment and nothing of it is left, or when
 * it only reads and its connection was lost. What changes rows is never sent again when it may have been done.
 */
export class Pipeline {
  readonly #size: PipelineSize;
  readonly #openConnection: OpenConnection;
  readonly #observer: PipelineObserver;
  readonly #outage: Outage;
  readonly #listener: ConnectionListener;
  #connections: PipelineConnection[] = [];
  /** Those that get no more statements, and have some in flight. */
  readonly #retired = new Set<PipelineConnection>();
  #opening: Promise<void> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** Where runs that can share a statement meet, by its text. */
  readonly #meetings = new Map<PreparedText, Meeting>();
  readonly #waiting: PendingQuery[] = [];
  /** How many statements wait to be sent again. */
  #pausing = 0;
  #waitTimer: NodeJS.Timeout | undefined;
  #watchTimer: NodeJS.Timeout | undefined;
  #isDispatching = false;
  #onIdle: (() => void) | undefined;

  /** @param outage what is known of the server by all who use it. */
  constructor(size: PipelineSize, open: OpenConnection, observer: PipelineObserver, outage: Outage) {
    this.#size = size;
    this.#openConnection = open;
    this.#observer = observer;
    this.#outage = outage;
    this.#listener = { onAnswer: this.#onAnswer, onFailure: this.#onFailure, onUnusable: this.#drop };
  }

  /** How its connections are used now. */
  load(): ConnectionLoad {
    const busy = this.#connections.filter(({ inFlight }) => inFlight > 0).length;
    return { open: this.#connections.length, busy, waiting: this.#waiting.length };
  }

  /**
   * Runs a statement.
   *
   * @throws the database's error, that of a failed attempt to connect, OutcomeUnknownError or another DatabaseUnavailableError,
   * or CallAbandonedError.
   */
  run({ text, parameters }: PreparedQuery<unknown>): Promise<QueryResult<unknown>> {
    const { sql, writes } = text;
    const call = currentCall();
    return new Promise((resolve, reject) => {
      const since = performance.now();
      const pending: PendingQuery = { sql, parameters, resolve, reject, since, writes, call, attempts: 0 };
      // One that shares its connection is left: cancelling it might meet another.
      if (this.#size.depth === 1) call?.onAbandoned(() => this.#cancel(pending));
      if (text.folded === undefined || !this.#size.folds) this.#waiting.push(pending);
      else this.#meetingOf(text, text.folded).add(pending);
      this.#dispatchSoon();
    });
  }

  /** Replaces all connections: they may lead to a server that is not the right one any more. */
  renew(): void {
    for (const connection of this.#connections) connection.retire();
  }

  /** Waits for the statements that are under way, and closes the connections. No more may be asked for. */
  async close(): Promise<void> {
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
    if (this.#waiting.length > 0) this.#waitTimer ??= setTimeout(this.#expire, this.#size.waitTimeoutMs);
    else if (this.#onIdle !== undefined && this.#isIdle()) this.#onIdle();
  };

  /** Lets those wait for their turn that wait for others to meet, as far as they may. */
  #gather(): void {
    for (const meeting of this.#meetings.values()) {
      for (let query = meeting.take(); query !== undefined; query = meeting.take()) this.#waiting.push(query);
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
      if (load > 0 && this.#connections.length < this.#size.connections) this.#open();
      if (connection === undefined || load >= this.#size.depth) return;
      const pending = this.#waiting.shift() as PendingQuery;
      if (pending.call?.isAbandoned === true) pending.reject(new CallAbandonedError());
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
    // A cluster reports the loss of one of its servers as an error; that server may have done the statement.
    const isUnknown = isLost || (isDatabaseUnavailable(error) && mayBeDone(error));
    if (isUnknown && pending.writes) pending.reject(new OutcomeUnknownError(error));
    else if ((isUnknown || isTransient(error)) && pending.attempts < MOST_ATTEMPTS) this.#sendLater(pending);
    else pending.reject(error);
  };

  #sendLater(pending: PendingQuery): void {
    this.#pausing++;
    const send = () => {
      this.#pausing--;
      this.#enqueue(pending);
    };
    setTimeout(send, AGAIN_AFTER_MS * pending.attempts * (1 + Math.random()));
  }

  #open(): void {
    this.#opening ??= this.#connect().then(
      (connection) => this.#onOpen(connection),
      (error) => this.#onOpenFailure(error),
    );
  }

  async #connect(): Promise<PipelineConnection> {
    const early = this.#failedAt + RECONNECT_AFTER_MS * (1 + Math.random()) - performance.now();
    if (early > 0) await pause(early);
    return this.#openConnection(this.#listener);
  }

  #onOpen(connection: PipelineConnection): void {
    this.#opening = undefined;
    this.#outage.noteReached();
    if (this.#size.statementTimeoutMs > 0) this.#watchTimer ??= setInterval(this.#watch, WATCH_INTERVAL_MS).unref();
    // It may have been lost between being opened and being handed over here.
    if (connection.isUsable) this.#connections.push(connection);
    this.#dispatchSoon();
  }

  #onOpenFailure(error: unknown): void {
    this.#opening = undefined;
    this.#failedAt = performance.now();
    // Else those that wait have their turn on a connection that is there, or will be soon.
    if (this.#connections.length === 0 && !this.#outage.isShort) this.#rejectWaiting(error);
    this.#dispatchSoon();
  }

  readonly #drop = (connection: PipelineConnection, error?: Error): void => {
    this.#connections = this.#connections.filter((each) => each !== connection);
    if (connection.inFlight > 0) this.#retired.add(connection);
    this.#outage.noteReached();
    if (error !== undefined) this.#observer.onIdleError(error);
    this.#dispatchSoon();
  };

  #rejectWaiting(error: unknown): void {
    for (this.#gather(); this.#waiting.length > 0; this.#gather()) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    }
  }

  readonly #watch = (): void => {
    for (const connection of this.#connections) connection.watch(this.#size.statementTimeoutMs);
    for (const connection of this.#retired) {
      connection.watch(this.#size.statementTimeoutMs);
      if (connection.inFlight === 0) this.#retired.delete(connection);
    }
  };

  readonly #expire = (): void => {
    this.#waitTimer = undefined;
    const last = performance.now() - this.#size.waitTimeoutMs;
    for (;;) {
      this.#gather();
      if (this.#waiting[0] === undefined || this.#waiting[0].since > last) break;
      this.#waiting.shift()?.reject(new DatabaseUnavailableError("no database connection became free in time"));
    }
    this.#dispatchSoon();
  };
}
